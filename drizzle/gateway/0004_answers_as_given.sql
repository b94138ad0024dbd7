CREATE TRIGGER `collection_answers_as_given` BEFORE UPDATE OF `answers` ON `collection`
	WHEN NEW.`answers` IS NOT OLD.`answers` AND (NEW.`answers` IS NOT NULL
	OR OLD.`opened_at` >= coalesce((SELECT `at` FROM `horizon` WHERE `name` = 'dialogues'), 0)
	OR OLD.`next_at` IS NOT NULL OR OLD.`review` IS NOT NULL)
	BEGIN SELECT RAISE(ABORT, 'the answers of a payer cannot be changed'); END;
