ALTER TABLE `inbox` ADD `stale` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `inbox` SET `stale` = 1 WHERE `state` = 'hint';
