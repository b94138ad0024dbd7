CREATE TABLE `admin_action` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`request_id` text NOT NULL,
	`action` text NOT NULL,
	`subject` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `api_key` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`platform_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`handle` text NOT NULL,
	`digest` text NOT NULL,
	`ending` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	`expires_at` integer,
	`last_used_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `api_key_handle` ON `api_key` (`handle`);--> statement-breakpoint
CREATE INDEX `api_key_merchant` ON `api_key` (`merchant_id`,`id`);--> statement-breakpoint
CREATE INDEX `api_key_live` ON `api_key` (`livemode`) WHERE "api_key"."livemode" = 1;--> statement-breakpoint
CREATE TABLE `delivery_attempt` (
	`event_id` text NOT NULL,
	`number` integer NOT NULL,
	`url` text NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`status` integer,
	`error` text,
	`response_body` text,
	PRIMARY KEY(`event_id`, `number`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `endpoint` (
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
CREATE TABLE `event` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`platform_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`type` text NOT NULL,
	`session_id` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`state` text NOT NULL,
	`next_at` integer,
	`attempts` integer NOT NULL,
	`tries` integer NOT NULL,
	`repeats` integer NOT NULL,
	`last_attempt_at` integer,
	`last_status` integer,
	`last_error` text,
	CONSTRAINT "event_due_while_waiting" CHECK(("event"."next_at" IS NOT NULL) = ("event"."state" = 'waiting'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `event_turn` ON `event` (`platform_id`,`livemode`,`next_at`) WHERE "event"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_type` ON `event` (`merchant_id`,`livemode`,`type`,`id`);--> statement-breakpoint
CREATE INDEX `event_state` ON `event` (`merchant_id`,`livemode`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `event_place` ON `event` (`platform_id`,`livemode`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `event_session` ON `event` (`session_id`,`id`);--> statement-breakpoint
CREATE INDEX `event_age` ON `event` (`created_at`);--> statement-breakpoint
CREATE TABLE `fee_override` (
	`merchant_id` text NOT NULL,
	`channel` text NOT NULL,
	`schedule` text NOT NULL,
	`set_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `channel`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `idempotency` (
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `livemode`, `key`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `merchant` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`offline_approved_at` integer,
	`created_at` integer NOT NULL
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
CREATE TABLE `prompt` (
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
	`charged_again_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`closed_at` integer,
	`reported_at` integer,
	CONSTRAINT "prompt_closed_at" CHECK(("prompt"."closed_at" IS NULL) = ("prompt"."status" = 'pending')),
	CONSTRAINT "prompt_charged" CHECK(("prompt"."charged_minor" > 0) = ("prompt"."status" = 'approved')),
	CONSTRAINT "prompt_charged_again" CHECK("prompt"."charged_again_at" IS NULL OR "prompt"."status" = 'approved'),
	CONSTRAINT "prompt_failure" CHECK(("prompt"."failure" IS NOT NULL) = ("prompt"."status" = 'failed')),
	CONSTRAINT "prompt_acts" CHECK("prompt"."acts_at" IS NULL OR "prompt"."magic" IS NOT NULL)
) STRICT;
--> statement-breakpoint
CREATE INDEX `prompt_session` ON `prompt` (`session_id`,`id`);--> statement-breakpoint
CREATE INDEX `prompt_payer` ON `prompt` (`payer`,`id`) WHERE "prompt"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `prompt_acts` ON `prompt` (`acts_at`) WHERE "prompt"."acts_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `prompt_unanswered` ON `prompt` (`expires_at`) WHERE "prompt"."status" = 'pending' AND "prompt"."acts_at" IS NULL;--> statement-breakpoint
CREATE INDEX `prompt_unreported` ON `prompt` (`closed_at`) WHERE "prompt"."closed_at" IS NOT NULL AND "prompt"."reported_at" IS NULL;--> statement-breakpoint
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
	`refunded_at` integer,
	`refund_reference` text,
	`refunded_by` text,
	PRIMARY KEY(`session_id`, `paid_at`, `paid_minor`),
	CONSTRAINT "payment_review_refund" CHECK(("payment_review"."refunded_at" IS NULL) = ("payment_review"."refund_reference" IS NULL)
        AND ("payment_review"."refunded_at" IS NULL) = ("payment_review"."refunded_by" IS NULL)
        AND ("payment_review"."refunded_at" IS NULL OR "payment_review"."resolution" = 'rejected')),
	CONSTRAINT "payment_review_resolution" CHECK(("payment_review"."resolved_at" IS NULL) = ("payment_review"."resolution" IS NULL) AND "payment_review"."paid_minor" > 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `payment_review_open` ON `payment_review` (`opened_at`) WHERE "payment_review"."resolved_at" IS NULL;--> statement-breakpoint
CREATE INDEX `payment_review_refund` ON `payment_review` (`session_id`) WHERE "payment_review"."resolution" = 'rejected' AND "payment_review"."refunded_at" IS NULL;--> statement-breakpoint
CREATE INDEX `payment_review_refund_due` ON `payment_review` (`resolved_at`) WHERE "payment_review"."resolution" = 'rejected' AND "payment_review"."refunded_at" IS NULL;--> statement-breakpoint
CREATE TABLE `sender` (
	`merchant_id` text NOT NULL,
	`name` text NOT NULL,
	`approved_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `name`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `payment_session` (
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
	`paid_minor` integer,
	`closed_at` integer,
	`expires_at` integer,
	`inquire_at` integer,
	`held_at` integer,
	CONSTRAINT "payment_session_inquires_while_initiated" CHECK(("payment_session"."inquire_at" IS NOT NULL) = ("payment_session"."status" = 'initiated' AND "payment_session"."held_at" IS NULL)),
	CONSTRAINT "payment_session_expires_while_open" CHECK(("payment_session"."expires_at" IS NOT NULL) = ("payment_session"."status" IN ('created', 'initiated') AND "payment_session"."held_at" IS NULL)),
	CONSTRAINT "payment_session_held" CHECK("payment_session"."held_at" IS NULL OR "payment_session"."status" = 'initiated'),
	CONSTRAINT "payment_session_closed_at" CHECK(("payment_session"."closed_at" IS NULL) = ("payment_session"."status" IN ('created', 'initiated'))),
	CONSTRAINT "payment_session_paid_at" CHECK(("payment_session"."paid_at" IS NOT NULL) = ("payment_session"."status" = 'paid')),
	CONSTRAINT "payment_session_paid_minor" CHECK(("payment_session"."paid_minor" IS NOT NULL) = ("payment_session"."status" = 'paid') AND coalesce("payment_session"."paid_minor", 1) > 0),
	CONSTRAINT "payment_session_amounts" CHECK("payment_session"."goods_minor" > 0 AND "payment_session"."fee_minor" >= 0
        AND "payment_session"."amount_minor" = "payment_session"."net_minor" + "payment_session"."fee_minor"),
	CONSTRAINT "payment_session_offline" CHECK("payment_session"."mode" <> 'offline' OR ("payment_session"."channel" = 'ussd' AND "payment_session"."net_minor" = "payment_session"."goods_minor"
        AND "payment_session"."reference" IS NOT NULL AND "payment_session"."otp_request_id" IS NULL)),
	CONSTRAINT "payment_session_web" CHECK("payment_session"."mode" <> 'web' OR ("payment_session"."channel" = 'web' AND "payment_session"."amount_minor" = "payment_session"."goods_minor"
        AND "payment_session"."net_minor" > 0))
) STRICT;
--> statement-breakpoint
CREATE INDEX `payment_session_reference` ON `payment_session` (`merchant_id`,`livemode`,`reference`,`id`);--> statement-breakpoint
CREATE INDEX `payment_session_open` ON `payment_session` (`merchant_id`,`livemode`,`id`) WHERE "payment_session"."closed_at" IS NULL;--> statement-breakpoint
CREATE INDEX `payment_session_closed` ON `payment_session` (`merchant_id`,`livemode`,`status`,`id`) WHERE "payment_session"."closed_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `payment_session_any_open` ON `payment_session` (`livemode`,`id`) WHERE "payment_session"."closed_at" IS NULL;--> statement-breakpoint
CREATE INDEX `payment_session_any_closed` ON `payment_session` (`livemode`,`status`,`id`) WHERE "payment_session"."closed_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `payment_session_payer` ON `payment_session` (`payer`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `payment_session_otp` ON `payment_session` (`otp_request_id`) WHERE "payment_session"."otp_request_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `payment_session_due` ON `payment_session` (`livemode`,`expires_at`) WHERE "payment_session"."expires_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `payment_session_inquiry` ON `payment_session` (`livemode`,`inquire_at`) WHERE "payment_session"."inquire_at" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `signing_secret` (
	`id` text PRIMARY KEY NOT NULL,
	`platform_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`retires_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `signing_secret_platform` ON `signing_secret` (`platform_id`,`livemode`);