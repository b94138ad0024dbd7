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
