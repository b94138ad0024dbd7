CREATE TABLE `admin_action` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`request_id` text NOT NULL,
	`action` text NOT NULL,
	`subject` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `delivery_attempt` (
	`event_id` text NOT NULL,
	`number` integer NOT NULL,
	`url` text NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`status` integer,
	`error` text,
	PRIMARY KEY(`event_id`, `number`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `fee_override` (
	`merchant_id` text NOT NULL,
	`channel` text NOT NULL,
	`schedule` text NOT NULL,
	`set_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `channel`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `otp_request` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`payer` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`sender` text NOT NULL,
	`salt` text NOT NULL,
	`digest` text NOT NULL,
	`wrong_codes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`verified_at` integer,
	`used_at` integer,
	CONSTRAINT "otp_request_used" CHECK("otp_request"."used_at" IS NULL OR "otp_request"."verified_at" IS NOT NULL)
) STRICT;
--> statement-breakpoint
CREATE INDEX `otp_request_payer` ON `otp_request` (`merchant_id`,`livemode`,`payer`,`created_at`);--> statement-breakpoint
CREATE INDEX `otp_request_age` ON `otp_request` (`created_at`);--> statement-breakpoint
CREATE TABLE `platform` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `platform_merchant` ON `platform` (`merchant_id`,`id`);--> statement-breakpoint
CREATE TABLE `payment_review` (
	`session_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`reason` text NOT NULL,
	`paid_minor` integer NOT NULL,
	`paid_at` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`resolved_at` integer,
	`resolution` text,
	`note` text,
	PRIMARY KEY(`session_id`, `paid_at`, `paid_minor`),
	CONSTRAINT "payment_review_resolution" CHECK(("payment_review"."resolved_at" IS NULL) = ("payment_review"."resolution" IS NULL) AND "payment_review"."paid_minor" > 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `payment_review_open` ON `payment_review` (`opened_at`) WHERE "payment_review"."resolved_at" IS NULL;--> statement-breakpoint
CREATE TABLE `sender` (
	`merchant_id` text NOT NULL,
	`name` text NOT NULL,
	`approved_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `name`)
) STRICT;
--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_prompt` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`merchant_name` text NOT NULL,
	`payer` text NOT NULL,
	`network` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`status` text NOT NULL,
	`failure` text,
	`magic` text,
	`acts_at` integer,
	`wrong_pins` integer NOT NULL,
	`charged_minor` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`closed_at` integer,
	`reported_at` integer,
	CONSTRAINT "prompt_closed_at" CHECK(("__new_prompt"."closed_at" IS NULL) = ("__new_prompt"."status" = 'pending')),
	CONSTRAINT "prompt_charged" CHECK(("__new_prompt"."charged_minor" > 0) = ("__new_prompt"."status" = 'approved')),
	CONSTRAINT "prompt_failure" CHECK(("__new_prompt"."failure" IS NOT NULL) = ("__new_prompt"."status" = 'failed')),
	CONSTRAINT "prompt_acts" CHECK("__new_prompt"."acts_at" IS NULL OR "__new_prompt"."magic" IS NOT NULL)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_prompt`("id", "session_id", "livemode", "merchant_name", "payer", "network", "amount_minor", "status", "failure", "magic", "acts_at", "wrong_pins", "charged_minor", "created_at", "expires_at", "closed_at", "reported_at") SELECT "id", "session_id", "livemode", "merchant_name", "payer", "network", "amount_minor", "status", CASE "status" WHEN 'failed' THEN 'pin_limit' END, NULL, NULL, "wrong_pins", "charged_minor", "created_at", "expires_at", "closed_at", "reported_at" FROM `prompt`;--> statement-breakpoint
DROP TABLE `prompt`;--> statement-breakpoint
ALTER TABLE `__new_prompt` RENAME TO `prompt`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `prompt_session` ON `prompt` (`session_id`,`id`);--> statement-breakpoint
CREATE INDEX `prompt_payer` ON `prompt` (`payer`,`created_at`) WHERE "prompt"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `prompt_acts` ON `prompt` (`acts_at`) WHERE "prompt"."acts_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `prompt_pending` ON `prompt` (`expires_at`) WHERE "prompt"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `prompt_unreported` ON `prompt` (`closed_at`) WHERE "prompt"."closed_at" IS NOT NULL AND "prompt"."reported_at" IS NULL;--> statement-breakpoint
CREATE TABLE `__new_payment_session` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`platform_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`mode` text NOT NULL,
	`channel` text NOT NULL,
	`network` text NOT NULL,
	`payer` text NOT NULL,
	`reference` text,
	`otp_request_id` text,
	`goods_minor` integer NOT NULL,
	`amount_minor` integer NOT NULL,
	`fee_minor` integer NOT NULL,
	`net_minor` integer NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`created_at` integer NOT NULL,
	`initiated_at` integer,
	`paid_at` integer,
	`closed_at` integer,
	`expires_at` integer,
	`held_at` integer,
	CONSTRAINT "payment_session_expires_while_open" CHECK(("__new_payment_session"."expires_at" IS NOT NULL) = ("__new_payment_session"."status" IN ('created', 'initiated') AND "__new_payment_session"."held_at" IS NULL)),
	CONSTRAINT "payment_session_held" CHECK("__new_payment_session"."held_at" IS NULL OR "__new_payment_session"."status" = 'initiated'),
	CONSTRAINT "payment_session_closed_at" CHECK(("__new_payment_session"."closed_at" IS NULL) = ("__new_payment_session"."status" IN ('created', 'initiated'))),
	CONSTRAINT "payment_session_paid_at" CHECK(("__new_payment_session"."paid_at" IS NOT NULL) = ("__new_payment_session"."status" = 'paid')),
	CONSTRAINT "payment_session_amounts" CHECK("__new_payment_session"."goods_minor" > 0 AND "__new_payment_session"."fee_minor" >= 0
        AND "__new_payment_session"."amount_minor" = "__new_payment_session"."net_minor" + "__new_payment_session"."fee_minor"),
	CONSTRAINT "payment_session_offline" CHECK("__new_payment_session"."mode" <> 'offline' OR ("__new_payment_session"."channel" = 'ussd' AND "__new_payment_session"."net_minor" = "__new_payment_session"."goods_minor"
        AND "__new_payment_session"."reference" IS NOT NULL AND "__new_payment_session"."otp_request_id" IS NULL)),
	CONSTRAINT "payment_session_web" CHECK("__new_payment_session"."mode" <> 'web' OR ("__new_payment_session"."channel" = 'web' AND "__new_payment_session"."amount_minor" = "__new_payment_session"."goods_minor"
        AND "__new_payment_session"."net_minor" > 0))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_payment_session`("id", "merchant_id", "platform_id", "livemode", "mode", "channel", "network", "payer", "reference", "otp_request_id", "goods_minor", "amount_minor", "fee_minor", "net_minor", "status", "reason", "created_at", "initiated_at", "paid_at", "closed_at", "expires_at", "held_at") SELECT "id", "merchant_id", 'plt_' || substr("merchant_id", 5), "livemode", "mode", "channel", "network", "payer", "reference", NULL, "goods_minor", "amount_minor", "fee_minor", "net_minor", "status", "reason", "created_at", "initiated_at", "paid_at", "closed_at", "expires_at", NULL FROM `payment_session`;--> statement-breakpoint
DROP TABLE `payment_session`;--> statement-breakpoint
ALTER TABLE `__new_payment_session` RENAME TO `payment_session`;--> statement-breakpoint
CREATE INDEX `payment_session_reference` ON `payment_session` (`merchant_id`,`livemode`,`reference`,`id`);--> statement-breakpoint
CREATE INDEX `payment_session_list` ON `payment_session` (`merchant_id`,`livemode`,`id`);--> statement-breakpoint
CREATE INDEX `payment_session_status` ON `payment_session` (`merchant_id`,`livemode`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `payment_session_any` ON `payment_session` (`livemode`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `payment_session_payer` ON `payment_session` (`payer`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `payment_session_otp` ON `payment_session` (`otp_request_id`);--> statement-breakpoint
CREATE INDEX `payment_session_due` ON `payment_session` (`livemode`,`expires_at`) WHERE "payment_session"."expires_at" IS NOT NULL;--> statement-breakpoint
DROP INDEX `signing_secret_merchant`;--> statement-breakpoint
ALTER TABLE `signing_secret` ADD `platform_id` text NOT NULL DEFAULT '';--> statement-breakpoint
UPDATE `signing_secret` SET `platform_id` = 'plt_' || substr("merchant_id", 5);--> statement-breakpoint
CREATE INDEX `signing_secret_platform` ON `signing_secret` (`platform_id`,`livemode`);--> statement-breakpoint
DROP INDEX `event_merchant`;--> statement-breakpoint
ALTER TABLE `event` ADD `platform_id` text NOT NULL DEFAULT '';--> statement-breakpoint
UPDATE `event` SET `platform_id` = 'plt_' || substr("merchant_id", 5);--> statement-breakpoint
ALTER TABLE `event` ADD `tries` integer NOT NULL DEFAULT 0;--> statement-breakpoint
UPDATE `event` SET `tries` = `attempts`;--> statement-breakpoint
CREATE INDEX `event_session` ON `event` (`session_id`,`id`);--> statement-breakpoint
CREATE INDEX `event_merchant` ON `event` (`merchant_id`,`livemode`,`id`);--> statement-breakpoint
CREATE INDEX `event_turn` ON `event` (`platform_id`,`livemode`,`next_at`) WHERE "event"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_type` ON `event` (`merchant_id`,`livemode`,`type`,`id`);--> statement-breakpoint
CREATE INDEX `event_state` ON `event` (`merchant_id`,`livemode`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `event_place` ON `event` (`platform_id`,`livemode`,`state`,`id`);--> statement-breakpoint
CREATE TABLE `__new_endpoint` (
	`platform_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`url` text NOT NULL,
	`created_at` integer NOT NULL,
	`failing_since` integer,
	`last_failed_at` integer,
	`disabled_at` integer,
	PRIMARY KEY(`platform_id`, `livemode`)
) STRICT;
--> statement-breakpoint
-- Live events go over https alone: for another URL they are put aside until it is set anew.
INSERT INTO `__new_endpoint`("platform_id", "merchant_id", "livemode", "url", "created_at", "failing_since", "last_failed_at", "disabled_at") SELECT 'plt_' || substr("merchant_id", 5), "merchant_id", "livemode", "url", "created_at", NULL, NULL, CASE WHEN "livemode" = 1 AND trim("url") NOT LIKE 'https://%' THEN unixepoch() * 1000 END FROM `endpoint`;--> statement-breakpoint
DROP TABLE `endpoint`;--> statement-breakpoint
ALTER TABLE `__new_endpoint` RENAME TO `endpoint`;--> statement-breakpoint
ALTER TABLE `api_key` ADD `platform_id` text NOT NULL DEFAULT '';--> statement-breakpoint
UPDATE `api_key` SET `platform_id` = 'plt_' || substr("merchant_id", 5);--> statement-breakpoint
ALTER TABLE `api_key` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `api_key` ADD `last_used_at` integer;--> statement-breakpoint
INSERT INTO `platform`("id", "merchant_id", "name", "created_at") SELECT 'plt_' || substr("id", 5), "id", "name", "created_at" FROM `merchant`;--> statement-breakpoint
-- Fingerprints are of the JSON now, no longer of the body's bytes: a kept answer of before can never be found equal again.
-- Gone with it is nothing where the answer guards nothing: an initiate, for the session's own state refuses the second
-- one; a create whose session nobody initiated, for nobody was asked to pay, and a second one will run out as well.
-- What stays is the create of a session that was initiated: its repetition is refused (idempotency_key_reused), where a
-- new session could become a second charge.
DELETE FROM `idempotency` WHERE "status" <> 201 OR json_extract("body", '$.id') IN (SELECT "id" FROM `payment_session` WHERE "initiated_at" IS NULL);
