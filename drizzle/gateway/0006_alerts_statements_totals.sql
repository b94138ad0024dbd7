CREATE TABLE `alert_target` (
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`address` text NOT NULL,
	`secret` text,
	`proposals` integer NOT NULL,
	`mentions` integer NOT NULL,
	`alarms` integer NOT NULL,
	`code_digest` text,
	`seen_seq` integer NOT NULL,
	`alarm_codes` text NOT NULL,
	`message` text,
	`message_id` text,
	`next_at` integer,
	`tries` integer NOT NULL,
	`fence` integer NOT NULL,
	`sent_at` integer,
	`problem` text,
	PRIMARY KEY(`account_id`, `kind`),
	CONSTRAINT "alert_target_due" CHECK(("alert_target"."next_at" IS NULL) = ("alert_target"."message" IS NULL))
) STRICT;
--> statement-breakpoint
CREATE TABLE `service_statement` (
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`date` text NOT NULL,
	`digest` text NOT NULL,
	`lines` text NOT NULL,
	`imported_by` text NOT NULL,
	`imported_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `livemode`, `date`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `payment_total` (
	`unit` text NOT NULL,
	`start` integer NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`channel` text NOT NULL,
	`network` text NOT NULL,
	`outcome` text NOT NULL,
	`payments` integer NOT NULL,
	`prompted` integer NOT NULL,
	`price_minor` integer NOT NULL,
	`charged_minor` integer NOT NULL,
	PRIMARY KEY(`unit`, `start`, `merchant_id`, `livemode`, `channel`, `network`, `outcome`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `screen_total` (
	`unit` text NOT NULL,
	`start` integer NOT NULL,
	`merchant_id` text NOT NULL,
	`channel` text NOT NULL,
	`language` text NOT NULL,
	`screen` text NOT NULL,
	`measure` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`unit`, `start`, `merchant_id`, `channel`, `language`, `screen`, `measure`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `totals_mark` (
	`id` integer PRIMARY KEY NOT NULL,
	`turn_seq` integer NOT NULL,
	`fact_seq` integer NOT NULL
) STRICT;
