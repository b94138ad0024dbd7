ALTER TABLE `turn` ADD `payer` text;--> statement-breakpoint
ALTER TABLE `turn` ADD `ussd_ref` text;--> statement-breakpoint
ALTER TABLE `turn` ADD `ending` text;