CREATE TABLE `job` (
	`collection_id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`urgency` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`next_at` integer NOT NULL,
	`lease_until` integer NOT NULL,
	`fence` integer NOT NULL,
	`home` text,
	`attempts` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `job_due` ON `job` (`livemode`,`merchant_id`,`next_at`);--> statement-breakpoint
CREATE INDEX `job_urgency` ON `job` (`livemode`,`urgency`,`next_at`);--> statement-breakpoint
INSERT INTO `job` SELECT `id`, `merchant_id`, `livemode`,
	CASE WHEN `status` IN ('accepted', 'created') THEN 0 WHEN `status` = 'paid' THEN 1 ELSE 2 END,
	`opened_at`, `next_at`, `lease_until`, `fence`, `home`, `attempts` FROM `collection` WHERE `next_at` IS NOT NULL;--> statement-breakpoint
DROP TRIGGER `turn_no_delete`;--> statement-breakpoint
DROP TRIGGER `inbox_body_as_received`;--> statement-breakpoint
CREATE TABLE `__new_collection` (
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
	`answers` text,
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
	`updated_at` integer NOT NULL,
	CONSTRAINT "collection_requested_by" CHECK(("__new_collection"."requested_by" = 'payer') = ("__new_collection"."payer" = "__new_collection"."dialler")
        AND "__new_collection"."requested_by" IN ('payer', 'attendant', 'other')),
	CONSTRAINT "collection_goods_positive" CHECK("__new_collection"."goods_minor" > 0)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_collection`("id", "merchant_id", "livemode", "status", "version", "channel", "dialogue_id", "dialler", "payer", "requested_by", "network", "reference", "short_reference", "answers", "retry_of", "goods_minor", "shown_total_minor", "amount_minor", "fee_minor", "net_minor", "booked", "amount_source", "unplaced_id", "create_key", "create_body", "initiate_key", "session_id", "opened_at", "prompt_not_before", "prompt_deadline", "initiate_sent_at", "initiate_sends", "initiate_rejection", "initiated_at", "paid_at", "closed_at", "confirmed_at", "reported_failure", "late", "lapsed_at", "restored_at", "reason", "review", "awaits_service_since", "updated_at") SELECT "id", "merchant_id", "livemode", "status", "version", "channel", "dialogue_id", "dialler", "payer", "requested_by", "network", "reference", "short_reference", "answers", "retry_of", "goods_minor", "shown_total_minor", "amount_minor", "fee_minor", "net_minor", "booked", "amount_source", "unplaced_id", "create_key", "create_body", "initiate_key", "session_id", "opened_at", "prompt_not_before", "prompt_deadline", "initiate_sent_at", "initiate_sends", "initiate_rejection", "initiated_at", "paid_at", "closed_at", "confirmed_at", "reported_failure", "late", "lapsed_at", "restored_at", "reason", "review", "awaits_service_since", "updated_at" FROM `collection` ORDER BY rowid;--> statement-breakpoint
DROP TABLE `collection`;--> statement-breakpoint
ALTER TABLE `__new_collection` RENAME TO `collection`;--> statement-breakpoint
CREATE UNIQUE INDEX `collection_session` ON `collection` (`session_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `collection_open_payer` ON `collection` (`merchant_id`,`payer`,`livemode`,`requested_by`) WHERE "collection"."status" IN ('accepted', 'created', 'initiating', 'initiated') AND "collection"."lapsed_at" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `collection_short_reference` ON `collection` (`short_reference`,`merchant_id`,`livemode`);--> statement-breakpoint
CREATE UNIQUE INDEX `collection_retry_of` ON `collection` (`retry_of`) WHERE "collection"."retry_of" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_payer` ON `collection` (`payer`,`merchant_id`,`livemode`,`opened_at`,`requested_by`);--> statement-breakpoint
CREATE INDEX `collection_dialler` ON `collection` (`dialler`,`merchant_id`,`livemode`,`opened_at`,`requested_by`);--> statement-breakpoint
CREATE INDEX `collection_requested_payer` ON `collection` (`payer`,`livemode`,`requested_by`,`opened_at`) WHERE "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_requested_dialler` ON `collection` (`dialler`,`livemode`,`requested_by`,`opened_at`) WHERE "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_declined_payer` ON `collection` (`payer`,`livemode`,`requested_by`,`closed_at`) WHERE "collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_declined_dialler` ON `collection` (`dialler`,`livemode`,`requested_by`,`closed_at`) WHERE "collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_reference` ON `collection` (`reference`);--> statement-breakpoint
CREATE INDEX `collection_opened` ON `collection` (`opened_at`,`goods_minor`,`reference`,`shown_total_minor`,`amount_minor`,`channel`,`network`);--> statement-breakpoint
CREATE INDEX `collection_merchant_opened` ON `collection` (`merchant_id`,`opened_at`,`goods_minor`,`livemode`,`requested_by`,`channel`,`network`);--> statement-breakpoint
CREATE INDEX `collection_merchant_reason` ON `collection` (`merchant_id`,`opened_at`,`livemode`,`status`,`reason`,`review`) WHERE coalesce("collection"."reason", "collection"."review") IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_merchant_late` ON `collection` (`merchant_id`,`opened_at`,`livemode`) WHERE "collection"."late" = 1;--> statement-breakpoint
CREATE INDEX `collection_closed` ON `collection` (`status`,`opened_at`,`goods_minor`) WHERE "collection"."status" NOT IN ('accepted', 'created', 'initiating', 'initiated');--> statement-breakpoint
CREATE INDEX `collection_review` ON `collection` (`opened_at`,`goods_minor`) WHERE "collection"."review" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_review_reason` ON `collection` (`review`) WHERE "collection"."review" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_reason` ON `collection` (`reason`,`opened_at`,`goods_minor`) WHERE "collection"."reason" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_payer_ending` ON `collection` (("payer" % 10000));--> statement-breakpoint
CREATE INDEX `collection_dialler_ending` ON `collection` (("dialler" % 10000)) WHERE "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX `collection_dialogue` ON `collection` (`dialogue_id`);--> statement-breakpoint
CREATE TRIGGER `collection_no_delete` BEFORE DELETE ON `collection` BEGIN SELECT RAISE(ABORT, 'a collection cannot be deleted'); END;--> statement-breakpoint
CREATE TRIGGER `collection_answers_as_given` BEFORE UPDATE OF `answers` ON `collection`
	WHEN NEW.`answers` IS NOT OLD.`answers` AND (NEW.`answers` IS NOT NULL
	OR OLD.`opened_at` >= coalesce((SELECT `at` FROM `horizon` WHERE `name` = 'dialogues'), 0)
	OR OLD.`review` IS NOT NULL OR EXISTS (SELECT 1 FROM `job` WHERE `collection_id` = OLD.`id`))
	BEGIN SELECT RAISE(ABORT, 'the answers of a payer cannot be changed'); END;--> statement-breakpoint
CREATE TRIGGER `turn_no_delete` BEFORE DELETE ON `turn`
	WHEN OLD.`at` >= coalesce((SELECT `at` FROM `horizon` WHERE `name` = 'dialogues'), 0)
	OR NOT EXISTS (SELECT 1 FROM `deleted_turn` WHERE `seq` = OLD.`seq`)
	OR EXISTS (SELECT 1 FROM `collection` WHERE (`dialogue_id` = OLD.`dialogue_id` OR `id` = OLD.`collection_id`)
		AND (`review` IS NOT NULL OR EXISTS (SELECT 1 FROM `job` WHERE `job`.`collection_id` = `id`)))
	BEGIN SELECT RAISE(ABORT, 'turn is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `inbox_body_as_received` BEFORE UPDATE OF `body` ON `inbox`
	WHEN NEW.`body` <> '' OR OLD.`state` NOT IN ('handled', 'hint')
	OR OLD.`received_at` >= coalesce((SELECT `at` FROM `horizon` WHERE `name` = 'inbox'), 0)
	OR EXISTS (SELECT 1 FROM `collection` WHERE `session_id` = OLD.`session_id`
		AND (`review` IS NOT NULL OR EXISTS (SELECT 1 FROM `job` WHERE `job`.`collection_id` = `id`)))
	BEGIN SELECT RAISE(ABORT, 'an event cannot be changed'); END;--> statement-breakpoint
CREATE TRIGGER `job_no_delete` BEFORE DELETE ON `job`
	WHEN EXISTS (SELECT 1 FROM `collection` WHERE `id` = OLD.`collection_id` AND (`status` IN ('accepted', 'created', 'initiating', 'initiated')
		OR (`status` = 'paid' AND `confirmed_at` IS NULL) OR (`status` = 'review' AND `awaits_service_since` IS NOT NULL)))
	BEGIN SELECT RAISE(ABORT, 'a collection with work left keeps its job'); END;
