CREATE TABLE "job" (
	"collection_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"urgency" bigint NOT NULL,
	"opened_at" bigint NOT NULL,
	"next_at" bigint NOT NULL,
	"lease_until" bigint NOT NULL,
	"fence" bigint NOT NULL,
	"home" text COLLATE "C",
	"attempts" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "job" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);--> statement-breakpoint
INSERT INTO "job" SELECT "id", "merchant_id", "livemode",
	CASE WHEN "status" IN ('accepted', 'created') THEN 0 WHEN "status" = 'paid' THEN 1 ELSE 2 END,
	"opened_at", "next_at", "lease_until", "fence", "home", "attempts" FROM "collection" WHERE "next_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "collection" DROP CONSTRAINT "collection_due_while_scheduled";--> statement-breakpoint
DROP INDEX "collection_due";--> statement-breakpoint
DROP INDEX "collection_unprompted";--> statement-breakpoint
DROP INDEX "collection_unconfirmed";--> statement-breakpoint
CREATE INDEX "job_due" ON "job" USING btree ("livemode","merchant_id","next_at");--> statement-breakpoint
CREATE INDEX "job_urgency" ON "job" USING btree ("livemode","urgency","next_at");--> statement-breakpoint
ALTER TABLE "collection" DROP COLUMN "next_at";--> statement-breakpoint
ALTER TABLE "collection" DROP COLUMN "lease_until";--> statement-breakpoint
ALTER TABLE "collection" DROP COLUMN "fence";--> statement-breakpoint
ALTER TABLE "collection" DROP COLUMN "home";--> statement-breakpoint
ALTER TABLE "collection" DROP COLUMN "attempts";--> statement-breakpoint
CREATE OR REPLACE FUNCTION reject_turn_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD."at" >= coalesce((SELECT "at" FROM "horizon" WHERE "name" = 'dialogues'), 0)
		OR NOT EXISTS (SELECT 1 FROM "deleted_turn" WHERE "seq" = OLD."seq")
		OR EXISTS (SELECT 1 FROM "collection" WHERE "dialogue_id" = OLD."dialogue_id"
			AND ("review" IS NOT NULL OR EXISTS (SELECT 1 FROM "job" WHERE "collection_id" = "collection"."id")))
		OR EXISTS (SELECT 1 FROM "collection" WHERE "id" = OLD."collection_id"
			AND ("review" IS NOT NULL OR EXISTS (SELECT 1 FROM "job" WHERE "collection_id" = "collection"."id"))) THEN
		RAISE EXCEPTION 'turn is append-only';
	END IF;
	RETURN OLD;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION reject_body_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."body" <> '' OR OLD."state" NOT IN ('handled', 'hint')
		OR OLD."received_at" >= coalesce((SELECT "at" FROM "horizon" WHERE "name" = 'inbox'), 0)
		OR EXISTS (SELECT 1 FROM "collection" WHERE "session_id" = OLD."session_id"
			AND ("review" IS NOT NULL OR EXISTS (SELECT 1 FROM "job" WHERE "collection_id" = "collection"."id"))) THEN
		RAISE EXCEPTION 'an event cannot be changed';
	END IF;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION reject_answers_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."answers" IS DISTINCT FROM OLD."answers" AND (NEW."answers" IS NOT NULL
		OR OLD."opened_at" >= coalesce((SELECT "at" FROM "horizon" WHERE "name" = 'dialogues'), 0)
		OR OLD."review" IS NOT NULL OR EXISTS (SELECT 1 FROM "job" WHERE "collection_id" = OLD."id")) THEN
		RAISE EXCEPTION 'the answers of a payer cannot be changed';
	END IF;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE FUNCTION reject_job_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM "collection" WHERE "id" = OLD."collection_id" AND ("status" IN ('accepted', 'created', 'initiating', 'initiated')
		OR ("status" = 'paid' AND "confirmed_at" IS NULL) OR ("status" = 'review' AND "awaits_service_since" IS NOT NULL))) THEN
		RAISE EXCEPTION 'a collection with work left keeps its job';
	END IF;
	RETURN OLD;
END $$;--> statement-breakpoint
CREATE TRIGGER "job_no_delete" BEFORE DELETE ON "job" FOR EACH ROW EXECUTE FUNCTION reject_job_deletion();
--> statement-breakpoint
CREATE TRIGGER "job_no_truncate" BEFORE TRUNCATE ON "job" EXECUTE FUNCTION reject_change('job cannot be emptied');
