CREATE TRIGGER `turn_no_update` BEFORE UPDATE ON `turn` BEGIN SELECT RAISE(ABORT, 'turn is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `turn_no_delete` BEFORE DELETE ON `turn` BEGIN SELECT RAISE(ABORT, 'turn is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `fact_no_update` BEFORE UPDATE ON `fact` BEGIN SELECT RAISE(ABORT, 'fact is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `fact_no_delete` BEFORE DELETE ON `fact` BEGIN SELECT RAISE(ABORT, 'fact is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `posting_no_update` BEFORE UPDATE ON `posting` BEGIN SELECT RAISE(ABORT, 'posting is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `posting_no_delete` BEFORE DELETE ON `posting` BEGIN SELECT RAISE(ABORT, 'posting is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `seal_no_update` BEFORE UPDATE ON `seal` BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `seal_no_delete` BEFORE DELETE ON `seal` BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `collection_no_delete` BEFORE DELETE ON `collection` BEGIN SELECT RAISE(ABORT, 'a collection is never deleted'); END;--> statement-breakpoint
CREATE TRIGGER `inbox_no_delete` BEFORE DELETE ON `inbox` BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END;--> statement-breakpoint
CREATE TRIGGER `inbox_as_received` BEFORE UPDATE OF `merchant_id`, `event_id`, `livemode`, `type`, `session_id`, `body`, `received_at` ON `inbox` BEGIN SELECT RAISE(ABORT, 'an event is kept as received'); END;
