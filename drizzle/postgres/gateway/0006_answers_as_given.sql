CREATE FUNCTION reject_answers_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."answers" IS DISTINCT FROM OLD."answers" AND (NEW."answers" IS NOT NULL
		OR OLD."opened_at" >= coalesce((SELECT "at" FROM "horizon" WHERE "name" = 'dialogues'), 0)
		OR OLD."next_at" IS NOT NULL OR OLD."review" IS NOT NULL) THEN
		RAISE EXCEPTION 'the answers of a payer cannot be changed';
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "collection_answers_as_given" BEFORE UPDATE OF "answers" ON "collection" FOR EACH ROW EXECUTE FUNCTION reject_answers_change();
