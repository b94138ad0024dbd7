CREATE TABLE `dialler_setting` (
	`merchant_id` text NOT NULL,
	`livemode` integer NOT NULL,
	`msisdn` text NOT NULL,
	`language` text,
	`closed_at` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `livemode`, `msisdn`)
) STRICT;
--> statement-breakpoint
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
DROP INDEX `collection_payer`;--> statement-breakpoint
DROP INDEX `collection_dialler`;--> statement-breakpoint
ALTER TABLE `collection` ADD `short_reference` text;--> statement-breakpoint
ALTER TABLE `collection` ADD `retry_of` text;--> statement-breakpoint
ALTER TABLE `collection` ADD `shown_total_minor` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `collection_short_reference` ON `collection` (`short_reference`,`merchant_id`,`livemode`);--> statement-breakpoint
CREATE UNIQUE INDEX `collection_retry_of` ON `collection` (`retry_of`);--> statement-breakpoint
CREATE INDEX `collection_merchant` ON `collection` (`merchant_id`,`livemode`,`opened_at`);--> statement-breakpoint
CREATE INDEX `collection_declined_payer` ON `collection` (`payer`,`closed_at`) WHERE "collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."payer" <> "collection"."dialler";--> statement-breakpoint
CREATE INDEX `collection_declined_dialler` ON `collection` (`dialler`,`closed_at`) WHERE "collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."payer" <> "collection"."dialler";--> statement-breakpoint
CREATE INDEX `collection_payer` ON `collection` (`payer`,`merchant_id`,`livemode`,`opened_at`);--> statement-breakpoint
CREATE INDEX `collection_dialler` ON `collection` (`dialler`,`merchant_id`,`livemode`,`opened_at`);