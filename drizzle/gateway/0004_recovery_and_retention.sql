CREATE TABLE `horizon` (
	`name` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `ledger_file` (
	`id` text PRIMARY KEY NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `restore` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`taken_at` integer,
	`restored_at` integer,
	`begun_at` integer,
	`done_at` integer
) STRICT;
--> statement-breakpoint
ALTER TABLE `collection` ADD `restored_at` integer;--> statement-breakpoint
CREATE INDEX `inbox_bodies` ON `inbox` (`received_at`) WHERE "inbox"."body" <> '' AND "inbox"."state" IN ('handled', 'hint');--> statement-breakpoint
CREATE INDEX `turn_at` ON `turn` (`at`);--> statement-breakpoint
DROP TRIGGER `turn_no_delete`;--> statement-breakpoint
CREATE TRIGGER `turn_no_delete` BEFORE DELETE ON `turn`
	WHEN OLD.`at` >= coalesce((SELECT `at` FROM `horizon` WHERE `name` = 'dialogues'), 0)
	OR EXISTS (SELECT 1 FROM `collection` WHERE `dialogue_id` = OLD.`dialogue_id`
		AND (`status` IN ('accepted', 'created', 'initiating', 'initiated') OR `review` IS NOT NULL))
	OR EXISTS (SELECT 1 FROM `collection` WHERE `id` = OLD.`collection_id`
		AND (`status` IN ('accepted', 'created', 'initiating', 'initiated') OR `review` IS NOT NULL))
	BEGIN SELECT RAISE(ABORT, 'turn is append-only'); END;--> statement-breakpoint
DROP TRIGGER `inbox_as_received`;--> statement-breakpoint
CREATE TRIGGER `inbox_as_received` BEFORE UPDATE OF `merchant_id`, `event_id`, `livemode`, `type`, `session_id`, `received_at` ON `inbox` BEGIN SELECT RAISE(ABORT, 'an event is kept as received'); END;--> statement-breakpoint
CREATE TRIGGER `inbox_body_as_received` BEFORE UPDATE OF `body` ON `inbox`
	WHEN NEW.`body` <> '' OR OLD.`state` NOT IN ('handled', 'hint')
	OR OLD.`received_at` >= coalesce((SELECT `at` FROM `horizon` WHERE `name` = 'inbox'), 0)
	OR EXISTS (SELECT 1 FROM `collection` WHERE `session_id` = OLD.`session_id`
		AND (`status` IN ('accepted', 'created', 'initiating', 'initiated') OR `review` IS NOT NULL))
	BEGIN SELECT RAISE(ABORT, 'an event is kept as received'); END;--> statement-breakpoint
CREATE TRIGGER `horizon_no_delete` BEFORE DELETE ON `horizon` BEGIN SELECT RAISE(ABORT, 'a horizon is never deleted'); END;--> statement-breakpoint
CREATE TRIGGER `horizon_no_way_back` BEFORE UPDATE ON `horizon` WHEN NEW.`at` < OLD.`at` OR NEW.`name` <> OLD.`name` BEGIN SELECT RAISE(ABORT, 'a horizon never goes back'); END;--> statement-breakpoint
CREATE TRIGGER `restore_no_delete` BEFORE DELETE ON `restore` BEGIN SELECT RAISE(ABORT, 'a restore is never forgotten'); END;
