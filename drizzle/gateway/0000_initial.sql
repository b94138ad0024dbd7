CREATE TABLE `account_day_total` (
	`day` integer NOT NULL,
	`account` text NOT NULL,
	`livemode` integer NOT NULL,
	`amount_minor` integer NOT NULL,
	`postings` integer NOT NULL,
	PRIMARY KEY(`day`, `account`, `livemode`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `account_total` (
	`account` text NOT NULL,
	`livemode` integer NOT NULL,
	`amount_minor` integer NOT NULL,
	`postings` integer NOT NULL,
	PRIMARY KEY(`account`, `livemode`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `collection` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`status` text NOT NULL,
	`version` integer NOT NULL,
	`channel` text NOT NULL,
	`dialogue_id` text NOT NULL,
	`dialler` text NOT NULL,
	`payer` text NOT NULL,
	`requested_by` text NOT NULL,
	`network` text NOT NULL,
	`reference` text NOT NULL,
	`short_reference` text NOT NULL,
	`retry_of` text,
	`goods_minor` integer NOT NULL,
	`shown_total_minor` integer,
	`amount_minor` integer,
	`fee_minor` integer,
	`net_minor` integer,
	`booked` text,
	`amount_source` text,
	`unplaced_id` text,
	`create_key` text NOT NULL,
	`create_body` text NOT NULL,
	`initiate_key` text NOT NULL,
	`session_id` text,
	`opened_at` integer NOT NULL,
	`prompt_not_before` integer NOT NULL,
	`prompt_deadline` integer NOT NULL,
	`initiate_sent_at` integer,
	`initiate_sends` integer NOT NULL,
	`initiate_rejection` text,
	`initiated_at` integer,
	`paid_at` text,
	`closed_at` integer,
	`confirmed_at` integer,
	`reported_failure` text,
	`late` integer NOT NULL,
	`lapsed_at` integer,
	`restored_at` integer,
	`reason` text,
	`review` text,
	`awaits_service_since` integer,
	`next_at` integer,
	`lease_until` integer NOT NULL,
	`fence` integer NOT NULL,
	`home` text,
	`attempts` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "collection_due_while_scheduled" CHECK(("collection"."next_at" IS NOT NULL) = ("collection"."status" IN ('accepted', 'created', 'initiating', 'initiated') OR ("collection"."status" = 'paid' AND "collection"."confirmed_at" IS NULL)
        OR ("collection"."status" = 'review' AND "collection"."awaits_service_since" IS NOT NULL))),
	CONSTRAINT "collection_requested_by" CHECK(("collection"."requested_by" = 'payer') = ("collection"."payer" = "collection"."dialler")
        AND "collection"."requested_by" IN ('payer', 'attendant', 'other')),
	CONSTRAINT "collection_goods_positive" CHECK("collection"."goods_minor" > 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `collection_session` ON `collection` (`session_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `collection_open_payer` ON `collection` (`merchant_id`,`payer`,`livemode`,`requested_by`) WHERE "collection"."status" IN ('accepted', 'created', 'initiating', 'initiated') AND "collection"."lapsed_at" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `collection_short_reference` ON `collection` (`short_reference`,`merchant_id`,`livemode`);--> statement-breakpoint
CREATE UNIQUE INDEX `collection_retry_of` ON `collection` (`retry_of`) WHERE "collection"."retry_of" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_due` ON `collection` (`livemode`,`merchant_id`,`next_at`) WHERE "collection"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_unprompted` ON `collection` (`livemode`,`next_at`) WHERE "collection"."status" IN ('accepted', 'created');--> statement-breakpoint
CREATE INDEX `collection_payer` ON `collection` (`payer`,`merchant_id`,`livemode`,`opened_at`,`requested_by`);--> statement-breakpoint
CREATE INDEX `collection_dialler` ON `collection` (`dialler`,`merchant_id`,`livemode`,`opened_at`,`requested_by`);--> statement-breakpoint
CREATE INDEX `collection_requested_payer` ON `collection` (`payer`,`livemode`,`requested_by`,`opened_at`) WHERE "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_requested_dialler` ON `collection` (`dialler`,`livemode`,`requested_by`,`opened_at`) WHERE "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_declined_payer` ON `collection` (`payer`,`livemode`,`requested_by`,`closed_at`) WHERE "collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_declined_dialler` ON `collection` (`dialler`,`livemode`,`requested_by`,`closed_at`) WHERE "collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_unconfirmed` ON `collection` (`merchant_id`,`livemode`,`amount_minor`) WHERE "collection"."status" = 'paid' AND "collection"."confirmed_at" IS NULL;--> statement-breakpoint
CREATE INDEX `collection_reference` ON `collection` (`reference`);--> statement-breakpoint
CREATE INDEX `collection_opened` ON `collection` (`opened_at`,`goods_minor`,`reference`,`shown_total_minor`,`amount_minor`,`channel`,`network`);--> statement-breakpoint
CREATE INDEX `collection_merchant_opened` ON `collection` (`merchant_id`,`opened_at`,`goods_minor`,`livemode`,`requested_by`);--> statement-breakpoint
CREATE INDEX `collection_closed` ON `collection` (`status`,`opened_at`,`goods_minor`) WHERE "collection"."status" NOT IN ('accepted', 'created', 'initiating', 'initiated');--> statement-breakpoint
CREATE INDEX `collection_review` ON `collection` (`opened_at`,`goods_minor`) WHERE "collection"."review" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_review_reason` ON `collection` (`review`) WHERE "collection"."review" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_reason` ON `collection` (`reason`,`opened_at`,`goods_minor`) WHERE "collection"."reason" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_payer_ending` ON `collection` (("payer" % 10000));--> statement-breakpoint
CREATE INDEX `collection_dialler_ending` ON `collection` (("dialler" % 10000)) WHERE "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_dialogue` ON `collection` (`dialogue_id`);--> statement-breakpoint
CREATE TABLE `deleted_turn` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`hash` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `dialler_setting` (
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`msisdn` text NOT NULL,
	`language` text,
	`opted_out_at` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `livemode`, `msisdn`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `dialler_setting_change` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`msisdn` text NOT NULL,
	`language` text,
	`opted_out_at` integer,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `dialler_setting_change_of` ON `dialler_setting_change` (`merchant_id`,`livemode`,`msisdn`,`seq`);--> statement-breakpoint
CREATE TABLE `fact` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subject_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`version` integer NOT NULL,
	`kind` text NOT NULL,
	`data` text NOT NULL,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `fact_version` ON `fact` (`subject_id`,`version`);--> statement-breakpoint
CREATE TABLE `horizon` (
	`name` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `inbox` (
	`merchant_id` text NOT NULL,
	`event_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`type` text NOT NULL,
	`session_id` text,
	`body` text NOT NULL,
	`received_at` integer NOT NULL,
	`state` text NOT NULL,
	`next_at` integer,
	`lease_until` integer NOT NULL,
	`attempts` integer NOT NULL,
	`stale` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `event_id`),
	CONSTRAINT "inbox_due_while_waiting" CHECK(("inbox"."next_at" IS NOT NULL) = ("inbox"."state" = 'waiting'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `inbox_due` ON `inbox` (`next_at`) WHERE "inbox"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `inbox_session` ON `inbox` (`session_id`);--> statement-breakpoint
CREATE INDEX `inbox_unplaced` ON `inbox` (`received_at`,`type`,`merchant_id`,`state`) WHERE "inbox"."state" IN ('parked', 'dead');--> statement-breakpoint
CREATE INDEX `inbox_bodies` ON `inbox` (`received_at`) WHERE "inbox"."body" <> '' AND "inbox"."state" IN ('handled', 'hint');--> statement-breakpoint
CREATE TABLE `ledger_file` (
	`id` text PRIMARY KEY NOT NULL,
	`cluster` text
) STRICT;
--> statement-breakpoint
CREATE TABLE `posting` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subject_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`version` integer NOT NULL,
	`booking` text NOT NULL,
	`account` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "posting_not_zero" CHECK("posting"."amount_minor" <> 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `posting_once` ON `posting` (`subject_id`,`version`,`booking`,`account`);--> statement-breakpoint
CREATE UNIQUE INDEX `posting_closing_once` ON `posting` (`subject_id`) WHERE "posting"."booking" IN ('paid', 'suspense') AND "posting"."account" = 'payers';--> statement-breakpoint
CREATE INDEX `posting_at` ON `posting` (`at`);--> statement-breakpoint
CREATE TABLE `proposal` (
	`id` text PRIMARY KEY NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`outcome` text NOT NULL,
	`evidence` text NOT NULL,
	`reference` text,
	`version_seen` integer NOT NULL,
	`target_id` text,
	`target_version` integer,
	`proposed_by` text NOT NULL,
	`proposed_at` integer NOT NULL,
	`state` text NOT NULL,
	`decided_by` text,
	`decided_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `proposal_open` ON `proposal` (`subject_id`) WHERE "proposal"."state" = 'open';--> statement-breakpoint
CREATE INDEX `proposal_subject` ON `proposal` (`subject_id`,`proposed_at`);--> statement-breakpoint
CREATE TABLE `quote` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`dialogue_id` text NOT NULL,
	`create_key` text NOT NULL,
	`create_body` text NOT NULL,
	`requested_at` integer NOT NULL,
	`session` text,
	`answered_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `quote_requested` ON `quote` (`requested_at`);--> statement-breakpoint
CREATE TABLE `restore` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`taken_at` integer,
	`restored_at` integer,
	`begun_at` integer,
	`done_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `seal` (
	`number` integer PRIMARY KEY NOT NULL,
	`fact_seq` integer NOT NULL,
	`posting_seq` integer NOT NULL,
	`turn_seq` integer NOT NULL,
	`setting_seq` integer NOT NULL,
	`action_seq` integer NOT NULL,
	`rows` integer NOT NULL,
	`at` integer NOT NULL,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL,
	`key_id` text,
	`signature` text
) STRICT;
--> statement-breakpoint
CREATE TABLE `staff_action` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`result` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`merchant_id` text,
	`livemode` integer NOT NULL,
	`detail` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `staff_action_subject` ON `staff_action` (`subject_id`,`seq`);--> statement-breakpoint
CREATE INDEX `staff_action_actor` ON `staff_action` (`actor`,`seq`);--> statement-breakpoint
CREATE INDEX `staff_action_action` ON `staff_action` (`action`,`seq`);--> statement-breakpoint
CREATE TABLE `turn` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel` text NOT NULL,
	`session` text NOT NULL,
	`sequence` integer NOT NULL,
	`dialogue_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`dialler` text NOT NULL,
	`operator` text NOT NULL,
	`input` text,
	`position` text,
	`payer` text,
	`ussd_ref` text,
	`ending` text,
	`state` text NOT NULL,
	`reply` text NOT NULL,
	`screen` text NOT NULL,
	`collection_id` text,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `turn_request` ON `turn` (`channel`,`session`,`sequence`);--> statement-breakpoint
CREATE INDEX `turn_dialogue` ON `turn` (`dialogue_id`);--> statement-breakpoint
CREATE INDEX `turn_phone` ON `turn` (`dialler`,`at`);--> statement-breakpoint
CREATE INDEX `turn_collection` ON `turn` (`collection_id`) WHERE "turn"."collection_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `turn_at` ON `turn` (`at`);--> statement-breakpoint
CREATE TABLE `unplaced_payment` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`session_id` text,
	`charge` integer NOT NULL,
	`event_id` text,
	`event_type` text NOT NULL,
	`state` text NOT NULL,
	`version` integer NOT NULL,
	`amount_minor` integer,
	`suspended_minor` integer NOT NULL,
	`goods_minor` integer,
	`fee_minor` integer,
	`net_minor` integer,
	`payer` text,
	`reference` text,
	`client_trans_id` text,
	`channel` text,
	`paid_at` text,
	`reason` text NOT NULL,
	`note` text,
	`collection_id` text,
	`received_at` integer NOT NULL,
	`closed_at` integer,
	`updated_at` integer NOT NULL,
	CONSTRAINT "unplaced_payment_suspended" CHECK("unplaced_payment"."suspended_minor" = CASE WHEN "unplaced_payment"."state" = 'open' THEN coalesce("unplaced_payment"."amount_minor", 0) ELSE 0 END),
	CONSTRAINT "unplaced_payment_placed" CHECK(("unplaced_payment"."state" = 'placed') = ("unplaced_payment"."collection_id" IS NOT NULL))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `unplaced_payment_session` ON `unplaced_payment` (`session_id`,`merchant_id`,`livemode`,`charge`);--> statement-breakpoint
CREATE INDEX `unplaced_payment_received` ON `unplaced_payment` (`received_at`,`suspended_minor`);--> statement-breakpoint
CREATE INDEX `unplaced_payment_open` ON `unplaced_payment` (`received_at`,`merchant_id`,`suspended_minor`) WHERE "unplaced_payment"."state" = 'open';--> statement-breakpoint
CREATE INDEX `unplaced_payment_payer` ON `unplaced_payment` (`payer`) WHERE "unplaced_payment"."payer" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `unplaced_payment_reference` ON `unplaced_payment` (`reference`) WHERE "unplaced_payment"."reference" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `unplaced_payment_event` ON `unplaced_payment` (`event_id`) WHERE "unplaced_payment"."event_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `unplaced_payment_trans_id` ON `unplaced_payment` (`client_trans_id`) WHERE "unplaced_payment"."client_trans_id" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `notification` (
	`endpoint_id` text NOT NULL,
	`event_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`type` text NOT NULL,
	`collection_id` text,
	`body` text NOT NULL,
	`at` integer NOT NULL,
	`state` text NOT NULL,
	`next_at` integer,
	`fence` integer NOT NULL,
	`planned_at` integer NOT NULL,
	`tries` integer NOT NULL,
	PRIMARY KEY(`endpoint_id`, `event_id`),
	CONSTRAINT "notification_due_while_waiting" CHECK(("notification"."next_at" IS NOT NULL) = ("notification"."state" = 'waiting'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `notification_due` ON `notification` (`endpoint_id`,`next_at`) WHERE "notification"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `notification_listed` ON `notification` (`endpoint_id`,`at`,`event_id`);--> statement-breakpoint
CREATE INDEX `notification_at` ON `notification` (`at`);--> statement-breakpoint
CREATE TABLE `notification_attempt` (
	`endpoint_id` text NOT NULL,
	`event_id` text NOT NULL,
	`number` integer NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`status` integer,
	`error` text,
	`answer` text,
	PRIMARY KEY(`endpoint_id`, `event_id`, `number`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `notification_endpoint` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`url` text NOT NULL,
	`whole_payer` integer NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_until` integer,
	`created_at` integer NOT NULL,
	`failing_since` integer,
	`last_failed_at` integer,
	`disabled_at` integer,
	`disabled_reason` text,
	CONSTRAINT "notification_endpoint_disabled" CHECK(("notification_endpoint"."disabled_at" IS NULL) = ("notification_endpoint"."disabled_reason" IS NULL))
) STRICT;
--> statement-breakpoint
CREATE INDEX `notification_endpoint_active` ON `notification_endpoint` (`merchant_id`,`livemode`) WHERE "notification_endpoint"."disabled_at" IS NULL;--> statement-breakpoint
CREATE TABLE `merchant_key` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`digest` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `merchant_key_digest` ON `merchant_key` (`digest`);--> statement-breakpoint
CREATE TABLE `merchant_request` (
	`key_id` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`digest` text NOT NULL,
	`answer` text,
	`at` integer NOT NULL,
	PRIMARY KEY(`key_id`, `idempotency_key`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `merchant_request_at` ON `merchant_request` (`at`);--> statement-breakpoint
CREATE TABLE `account` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`merchant_id` text,
	`password` text,
	`seed` text,
	`next_seed` text,
	`last_step` integer NOT NULL,
	`code_digest` text,
	`code_until` integer,
	`last_network` integer,
	`created_at` integer NOT NULL,
	`disabled_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_name` ON `account` (`name`);--> statement-breakpoint
CREATE TABLE `account_session` (
	`digest` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`confirmed_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `account_session_account` ON `account_session` (`account_id`);--> statement-breakpoint
CREATE TABLE `recovery_code` (
	`account_id` text NOT NULL,
	`digest` text NOT NULL,
	PRIMARY KEY(`account_id`, `digest`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `passkey` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`label` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `passkey_credential` ON `passkey` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkey_account` ON `passkey` (`account_id`);--> statement-breakpoint
CREATE TABLE `used_challenge` (
	`digest` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `used_challenge_at` ON `used_challenge` (`at`);--> statement-breakpoint
CREATE TABLE `saved_view` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_view_name` ON `saved_view` (`account_id`,`name`);--> statement-breakpoint
CREATE TABLE `sign_in_attempt` (
	`kind` text NOT NULL,
	`bucket` integer NOT NULL,
	`failures` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`kind`, `bucket`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `fact_notified` ON `fact` (`merchant_id`,`seq`) WHERE "fact"."kind" IN ('accepted', 'paid', 'confirmed', 'suspended', 'suspense_corrected', 'failed', 'expired', 'abandoned', 'review_opened', 'flagged', 'lapsed', 'decided', 'matched', 'refund_reported');--> statement-breakpoint
CREATE TRIGGER `fact_no_update` BEFORE UPDATE ON `fact` BEGIN SELECT RAISE(ABORT, 'fact is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `fact_no_delete` BEFORE DELETE ON `fact` BEGIN SELECT RAISE(ABORT, 'fact is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `posting_no_update` BEFORE UPDATE ON `posting` BEGIN SELECT RAISE(ABORT, 'posting is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `posting_no_delete` BEFORE DELETE ON `posting` BEGIN SELECT RAISE(ABORT, 'posting is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `seal_no_update` BEFORE UPDATE ON `seal` BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `seal_no_delete` BEFORE DELETE ON `seal` BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `turn_no_update` BEFORE UPDATE ON `turn` BEGIN SELECT RAISE(ABORT, 'turn is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `turn_no_delete` BEFORE DELETE ON `turn`
	WHEN OLD.`at` >= coalesce((SELECT `at` FROM `horizon` WHERE `name` = 'dialogues'), 0)
	OR NOT EXISTS (SELECT 1 FROM `deleted_turn` WHERE `seq` = OLD.`seq`)
	OR EXISTS (SELECT 1 FROM `collection` WHERE `dialogue_id` = OLD.`dialogue_id`
		AND (`next_at` IS NOT NULL OR `review` IS NOT NULL))
	OR EXISTS (SELECT 1 FROM `collection` WHERE `id` = OLD.`collection_id`
		AND (`next_at` IS NOT NULL OR `review` IS NOT NULL))
	BEGIN SELECT RAISE(ABORT, 'turn is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `deleted_turn_no_update` BEFORE UPDATE ON `deleted_turn` BEGIN SELECT RAISE(ABORT, 'deleted_turn is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `deleted_turn_no_delete` BEFORE DELETE ON `deleted_turn` BEGIN SELECT RAISE(ABORT, 'deleted_turn is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `dialler_setting_change_no_update` BEFORE UPDATE ON `dialler_setting_change` BEGIN SELECT RAISE(ABORT, 'dialler_setting_change is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `dialler_setting_change_no_delete` BEFORE DELETE ON `dialler_setting_change` BEGIN SELECT RAISE(ABORT, 'dialler_setting_change is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `staff_action_no_update` BEFORE UPDATE ON `staff_action` BEGIN SELECT RAISE(ABORT, 'staff_action is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `staff_action_no_delete` BEFORE DELETE ON `staff_action` BEGIN SELECT RAISE(ABORT, 'staff_action is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `proposal_no_delete` BEFORE DELETE ON `proposal` BEGIN SELECT RAISE(ABORT, 'a proposal cannot be deleted'); END;--> statement-breakpoint
CREATE TRIGGER `proposal_as_proposed` BEFORE UPDATE OF `id`, `subject_kind`, `subject_id`, `merchant_id`, `livemode`, `outcome`, `evidence`, `reference`, `version_seen`, `target_id`, `target_version`, `proposed_by`, `proposed_at` ON `proposal` BEGIN SELECT RAISE(ABORT, 'a proposal cannot be changed'); END;--> statement-breakpoint
CREATE TRIGGER `proposal_ends_once` BEFORE UPDATE ON `proposal` WHEN OLD.`state` <> 'open' BEGIN SELECT RAISE(ABORT, 'a proposal ends once'); END;--> statement-breakpoint
CREATE TRIGGER `dialler_setting_no_delete` BEFORE DELETE ON `dialler_setting` BEGIN SELECT RAISE(ABORT, 'a dialler setting cannot be deleted'); END;--> statement-breakpoint
CREATE TRIGGER `collection_no_delete` BEFORE DELETE ON `collection` BEGIN SELECT RAISE(ABORT, 'a collection cannot be deleted'); END;--> statement-breakpoint
CREATE TRIGGER `unplaced_payment_no_delete` BEFORE DELETE ON `unplaced_payment` BEGIN SELECT RAISE(ABORT, 'an unplaced payment cannot be deleted'); END;--> statement-breakpoint
CREATE TRIGGER `inbox_no_delete` BEFORE DELETE ON `inbox` BEGIN SELECT RAISE(ABORT, 'an event cannot be deleted'); END;--> statement-breakpoint
CREATE TRIGGER `inbox_as_received` BEFORE UPDATE OF `merchant_id`, `event_id`, `livemode`, `type`, `session_id`, `received_at` ON `inbox` BEGIN SELECT RAISE(ABORT, 'an event cannot be changed'); END;--> statement-breakpoint
CREATE TRIGGER `inbox_body_as_received` BEFORE UPDATE OF `body` ON `inbox`
	WHEN NEW.`body` <> '' OR OLD.`state` NOT IN ('handled', 'hint')
	OR OLD.`received_at` >= coalesce((SELECT `at` FROM `horizon` WHERE `name` = 'inbox'), 0)
	OR EXISTS (SELECT 1 FROM `collection` WHERE `session_id` = OLD.`session_id`
		AND (`next_at` IS NOT NULL OR `review` IS NOT NULL))
	BEGIN SELECT RAISE(ABORT, 'an event cannot be changed'); END;--> statement-breakpoint
CREATE TRIGGER `horizon_no_delete` BEFORE DELETE ON `horizon` BEGIN SELECT RAISE(ABORT, 'a horizon cannot be deleted'); END;--> statement-breakpoint
CREATE TRIGGER `horizon_only_forward` BEFORE UPDATE ON `horizon` WHEN NEW.`at` < OLD.`at` OR NEW.`name` <> OLD.`name` BEGIN SELECT RAISE(ABORT, 'a horizon cannot move back'); END;--> statement-breakpoint
CREATE TRIGGER `restore_no_delete` BEFORE DELETE ON `restore` BEGIN SELECT RAISE(ABORT, 'a restore cannot be deleted'); END;
