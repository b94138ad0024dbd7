CREATE TABLE `api_key` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`handle` text NOT NULL,
	`digest` text NOT NULL,
	`ending` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `api_key_handle` ON `api_key` (`handle`);--> statement-breakpoint
CREATE INDEX `api_key_merchant` ON `api_key` (`merchant_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `endpoint` (
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`url` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `livemode`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `event` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`type` text NOT NULL,
	`session_id` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`state` text NOT NULL,
	`next_at` integer,
	`attempts` integer NOT NULL,
	`last_attempt_at` integer,
	`last_status` integer,
	`last_error` text,
	CONSTRAINT "event_due_while_waiting" CHECK(("event"."next_at" IS NOT NULL) = ("event"."state" = 'waiting'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `event_due` ON `event` (`next_at`) WHERE "event"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_merchant` ON `event` (`merchant_id`,`id`);--> statement-breakpoint
CREATE INDEX `event_age` ON `event` (`created_at`);--> statement-breakpoint
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
CREATE INDEX `idempotency_age` ON `idempotency` (`created_at`);--> statement-breakpoint
CREATE TABLE `merchant` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`offline_approved_at` integer,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `prompt` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`merchant_name` text NOT NULL,
	`payer` text NOT NULL,
	`network` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`status` text NOT NULL,
	`wrong_pins` integer NOT NULL,
	`charged_minor` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`closed_at` integer,
	`reported_at` integer,
	CONSTRAINT "prompt_closed_at" CHECK(("prompt"."closed_at" IS NULL) = ("prompt"."status" = 'pending')),
	CONSTRAINT "prompt_charged" CHECK("prompt"."charged_minor" = CASE "prompt"."status" WHEN 'approved' THEN "prompt"."amount_minor" ELSE 0 END)
) STRICT;
--> statement-breakpoint
CREATE INDEX `prompt_session` ON `prompt` (`session_id`);--> statement-breakpoint
CREATE INDEX `prompt_payer` ON `prompt` (`payer`,`created_at`);--> statement-breakpoint
CREATE INDEX `prompt_pending` ON `prompt` (`expires_at`) WHERE "prompt"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `prompt_unreported` ON `prompt` (`closed_at`) WHERE "prompt"."closed_at" IS NOT NULL AND "prompt"."reported_at" IS NULL;--> statement-breakpoint
CREATE TABLE `payment_session` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`mode` text NOT NULL,
	`channel` text NOT NULL,
	`network` text NOT NULL,
	`payer` text NOT NULL,
	`reference` text NOT NULL,
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
	CONSTRAINT "payment_session_expires_while_open" CHECK(("payment_session"."expires_at" IS NOT NULL) = ("payment_session"."status" IN ('created', 'initiated'))),
	CONSTRAINT "payment_session_closed_at" CHECK(("payment_session"."closed_at" IS NULL) = ("payment_session"."status" IN ('created', 'initiated'))),
	CONSTRAINT "payment_session_paid_at" CHECK(("payment_session"."paid_at" IS NOT NULL) = ("payment_session"."status" = 'paid')),
	CONSTRAINT "payment_session_amounts" CHECK("payment_session"."goods_minor" > 0 AND "payment_session"."fee_minor" >= 0
        AND "payment_session"."amount_minor" = "payment_session"."net_minor" + "payment_session"."fee_minor"),
	CONSTRAINT "payment_session_offline" CHECK("payment_session"."mode" <> 'offline' OR "payment_session"."net_minor" = "payment_session"."goods_minor")
) STRICT;
--> statement-breakpoint
CREATE INDEX `payment_session_due` ON `payment_session` (`expires_at`) WHERE "payment_session"."expires_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `payment_session_merchant` ON `payment_session` (`merchant_id`,`livemode`,`created_at`);--> statement-breakpoint
CREATE TABLE `signing_secret` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`retires_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `signing_secret_merchant` ON `signing_secret` (`merchant_id`,`livemode`);