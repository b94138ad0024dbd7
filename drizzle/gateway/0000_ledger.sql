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
	`network` text NOT NULL,
	`reference` text NOT NULL,
	`goods_minor` integer NOT NULL,
	`amount_minor` integer,
	`fee_minor` integer,
	`net_minor` integer,
	`booked` text,
	`amount_source` text,
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
	`late` integer NOT NULL,
	`lapsed_at` integer,
	`reason` text,
	`review` text,
	`next_at` integer,
	`lease_until` integer NOT NULL,
	`fence` integer NOT NULL,
	`attempts` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "collection_due_while_open" CHECK(("collection"."next_at" IS NOT NULL) = ("collection"."status" IN ('accepted', 'created', 'initiating', 'initiated'))),
	CONSTRAINT "collection_goods_positive" CHECK("collection"."goods_minor" > 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `collection_session` ON `collection` (`session_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `collection_open_payer` ON `collection` (`merchant_id`,`payer`,`livemode`) WHERE "collection"."status" IN ('accepted', 'created', 'initiating', 'initiated') AND "collection"."lapsed_at" IS NULL;--> statement-breakpoint
CREATE INDEX `collection_due` ON `collection` (`next_at`) WHERE "collection"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_payer` ON `collection` (`payer`,`opened_at`);--> statement-breakpoint
CREATE INDEX `collection_dialler` ON `collection` (`dialler`,`opened_at`);--> statement-breakpoint
CREATE INDEX `collection_reference` ON `collection` (`reference`);--> statement-breakpoint
CREATE INDEX `collection_dialogue` ON `collection` (`dialogue_id`);--> statement-breakpoint
CREATE TABLE `fact` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`collection_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`version` integer NOT NULL,
	`kind` text NOT NULL,
	`data` text NOT NULL,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `fact_version` ON `fact` (`collection_id`,`version`);--> statement-breakpoint
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
	PRIMARY KEY(`merchant_id`, `event_id`),
	CONSTRAINT "inbox_due_while_waiting" CHECK(("inbox"."next_at" IS NOT NULL) = ("inbox"."state" = 'waiting'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `inbox_due` ON `inbox` (`next_at`) WHERE "inbox"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `inbox_session` ON `inbox` (`session_id`);--> statement-breakpoint
CREATE TABLE `posting` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`collection_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`booking` text NOT NULL,
	`account` text NOT NULL,
	`amount_minor` integer NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "posting_not_zero" CHECK("posting"."amount_minor" <> 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `posting_once` ON `posting` (`collection_id`,`booking`,`account`);--> statement-breakpoint
CREATE UNIQUE INDEX `posting_closing_once` ON `posting` (`collection_id`) WHERE "posting"."booking" IN ('paid', 'suspense') AND "posting"."account" = 'payers';--> statement-breakpoint
CREATE INDEX `posting_account` ON `posting` (`account`);--> statement-breakpoint
CREATE TABLE `seal` (
	`number` integer PRIMARY KEY NOT NULL,
	`fact_seq` integer NOT NULL,
	`posting_seq` integer NOT NULL,
	`rows` integer NOT NULL,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `turn` (
	`channel` text NOT NULL,
	`session` text NOT NULL,
	`sequence` integer NOT NULL,
	`dialogue_id` text NOT NULL,
	`merchant_id` text NOT NULL,
	`dialler` text NOT NULL,
	`operator` text NOT NULL,
	`input` text,
	`position` text,
	`state` text NOT NULL,
	`reply` text NOT NULL,
	`screen` text NOT NULL,
	`collection_id` text,
	`at` integer NOT NULL,
	PRIMARY KEY(`channel`, `session`, `sequence`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `turn_dialogue` ON `turn` (`dialogue_id`);--> statement-breakpoint
CREATE INDEX `turn_dialler` ON `turn` (`dialler`,`at`);