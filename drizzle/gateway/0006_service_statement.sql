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
