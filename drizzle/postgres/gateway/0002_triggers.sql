-- Rejects what the triggers of SQLite reject. TRUNCATE, which SQLite does not have, would pass by the triggers of rows.
CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '%', TG_ARGV[0];
END $$;
--> statement-breakpoint
CREATE TRIGGER "fact_no_update" BEFORE UPDATE ON "fact" FOR EACH ROW EXECUTE FUNCTION reject_change('fact is append-only');
--> statement-breakpoint
CREATE TRIGGER "fact_no_delete" BEFORE DELETE ON "fact" FOR EACH ROW EXECUTE FUNCTION reject_change('fact is append-only');
--> statement-breakpoint
CREATE TRIGGER "posting_no_update" BEFORE UPDATE ON "posting" FOR EACH ROW EXECUTE FUNCTION reject_change('posting is append-only');
--> statement-breakpoint
CREATE TRIGGER "posting_no_delete" BEFORE DELETE ON "posting" FOR EACH ROW EXECUTE FUNCTION reject_change('posting is append-only');
--> statement-breakpoint
CREATE TRIGGER "seal_no_update" BEFORE UPDATE ON "seal" FOR EACH ROW EXECUTE FUNCTION reject_change('seal is append-only');
--> statement-breakpoint
CREATE TRIGGER "seal_no_delete" BEFORE DELETE ON "seal" FOR EACH ROW EXECUTE FUNCTION reject_change('seal is append-only');
--> statement-breakpoint
CREATE TRIGGER "turn_no_update" BEFORE UPDATE ON "turn" FOR EACH ROW EXECUTE FUNCTION reject_change('turn is append-only');
--> statement-breakpoint
CREATE TRIGGER "deleted_turn_no_update" BEFORE UPDATE ON "deleted_turn" FOR EACH ROW EXECUTE FUNCTION reject_change('deleted_turn is append-only');
--> statement-breakpoint
CREATE TRIGGER "deleted_turn_no_delete" BEFORE DELETE ON "deleted_turn" FOR EACH ROW EXECUTE FUNCTION reject_change('deleted_turn is append-only');
--> statement-breakpoint
CREATE TRIGGER "dialler_setting_change_no_update" BEFORE UPDATE ON "dialler_setting_change" FOR EACH ROW EXECUTE FUNCTION reject_change('dialler_setting_change is append-only');
--> statement-breakpoint
CREATE TRIGGER "dialler_setting_change_no_delete" BEFORE DELETE ON "dialler_setting_change" FOR EACH ROW EXECUTE FUNCTION reject_change('dialler_setting_change is append-only');
--> statement-breakpoint
CREATE TRIGGER "staff_action_no_update" BEFORE UPDATE ON "staff_action" FOR EACH ROW EXECUTE FUNCTION reject_change('staff_action is append-only');
--> statement-breakpoint
CREATE TRIGGER "staff_action_no_delete" BEFORE DELETE ON "staff_action" FOR EACH ROW EXECUTE FUNCTION reject_change('staff_action is append-only');
--> statement-breakpoint
CREATE FUNCTION reject_turn_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD."at" >= coalesce((SELECT "at" FROM "horizon" WHERE "name" = 'dialogues'), 0)
		OR NOT EXISTS (SELECT 1 FROM "deleted_turn" WHERE "seq" = OLD."seq")
		OR EXISTS (SELECT 1 FROM "collection" WHERE "dialogue_id" = OLD."dialogue_id"
			AND ("next_at" IS NOT NULL OR "review" IS NOT NULL))
		OR EXISTS (SELECT 1 FROM "collection" WHERE "id" = OLD."collection_id"
			AND ("next_at" IS NOT NULL OR "review" IS NOT NULL)) THEN
		RAISE EXCEPTION 'turn is append-only';
	END IF;
	RETURN OLD;
END $$;
--> statement-breakpoint
CREATE TRIGGER "turn_no_delete" BEFORE DELETE ON "turn" FOR EACH ROW EXECUTE FUNCTION reject_turn_deletion();
--> statement-breakpoint
CREATE TRIGGER "proposal_no_delete" BEFORE DELETE ON "proposal" FOR EACH ROW EXECUTE FUNCTION reject_change('a proposal cannot be deleted');
--> statement-breakpoint
CREATE TRIGGER "proposal_as_proposed" BEFORE UPDATE OF "id", "subject_kind", "subject_id", "merchant_id", "livemode", "outcome", "evidence", "reference", "version_seen", "target_id", "target_version", "proposed_by", "proposed_at" ON "proposal" FOR EACH ROW EXECUTE FUNCTION reject_change('a proposal cannot be changed');
--> statement-breakpoint
CREATE TRIGGER "proposal_ends_once" BEFORE UPDATE ON "proposal" FOR EACH ROW
	WHEN (OLD."state" <> 'open') EXECUTE FUNCTION reject_change('a proposal ends once');
--> statement-breakpoint
CREATE TRIGGER "dialler_setting_no_delete" BEFORE DELETE ON "dialler_setting" FOR EACH ROW EXECUTE FUNCTION reject_change('a dialler setting cannot be deleted');
--> statement-breakpoint
CREATE TRIGGER "collection_no_delete" BEFORE DELETE ON "collection" FOR EACH ROW EXECUTE FUNCTION reject_change('a collection cannot be deleted');
--> statement-breakpoint
CREATE TRIGGER "unplaced_payment_no_delete" BEFORE DELETE ON "unplaced_payment" FOR EACH ROW EXECUTE FUNCTION reject_change('an unplaced payment cannot be deleted');
--> statement-breakpoint
CREATE TRIGGER "inbox_no_delete" BEFORE DELETE ON "inbox" FOR EACH ROW EXECUTE FUNCTION reject_change('an event cannot be deleted');
--> statement-breakpoint
CREATE TRIGGER "inbox_as_received" BEFORE UPDATE OF "merchant_id", "event_id", "livemode", "type", "session_id", "received_at" ON "inbox" FOR EACH ROW EXECUTE FUNCTION reject_change('an event cannot be changed');
--> statement-breakpoint
CREATE FUNCTION reject_body_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."body" <> '' OR OLD."state" NOT IN ('handled', 'hint')
		OR OLD."received_at" >= coalesce((SELECT "at" FROM "horizon" WHERE "name" = 'inbox'), 0)
		OR EXISTS (SELECT 1 FROM "collection" WHERE "session_id" = OLD."session_id"
			AND ("next_at" IS NOT NULL OR "review" IS NOT NULL)) THEN
		RAISE EXCEPTION 'an event cannot be changed';
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "inbox_body_as_received" BEFORE UPDATE OF "body" ON "inbox" FOR EACH ROW EXECUTE FUNCTION reject_body_change();
--> statement-breakpoint
CREATE TRIGGER "horizon_no_delete" BEFORE DELETE ON "horizon" FOR EACH ROW EXECUTE FUNCTION reject_change('a horizon cannot be deleted');
--> statement-breakpoint
CREATE TRIGGER "horizon_only_forward" BEFORE UPDATE ON "horizon" FOR EACH ROW
	WHEN (NEW."at" < OLD."at" OR NEW."name" <> OLD."name") EXECUTE FUNCTION reject_change('a horizon cannot move back');
--> statement-breakpoint
CREATE TRIGGER "restore_no_delete" BEFORE DELETE ON "restore" FOR EACH ROW EXECUTE FUNCTION reject_change('a restore cannot be deleted');
--> statement-breakpoint
CREATE TRIGGER "fact_no_truncate" BEFORE TRUNCATE ON "fact" EXECUTE FUNCTION reject_change('fact cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "posting_no_truncate" BEFORE TRUNCATE ON "posting" EXECUTE FUNCTION reject_change('posting cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "seal_no_truncate" BEFORE TRUNCATE ON "seal" EXECUTE FUNCTION reject_change('seal cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "turn_no_truncate" BEFORE TRUNCATE ON "turn" EXECUTE FUNCTION reject_change('turn cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "deleted_turn_no_truncate" BEFORE TRUNCATE ON "deleted_turn" EXECUTE FUNCTION reject_change('deleted_turn cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "dialler_setting_change_no_truncate" BEFORE TRUNCATE ON "dialler_setting_change" EXECUTE FUNCTION reject_change('dialler_setting_change cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "staff_action_no_truncate" BEFORE TRUNCATE ON "staff_action" EXECUTE FUNCTION reject_change('staff_action cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "proposal_no_truncate" BEFORE TRUNCATE ON "proposal" EXECUTE FUNCTION reject_change('proposal cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "dialler_setting_no_truncate" BEFORE TRUNCATE ON "dialler_setting" EXECUTE FUNCTION reject_change('dialler_setting cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "collection_no_truncate" BEFORE TRUNCATE ON "collection" EXECUTE FUNCTION reject_change('collection cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "unplaced_payment_no_truncate" BEFORE TRUNCATE ON "unplaced_payment" EXECUTE FUNCTION reject_change('unplaced_payment cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "inbox_no_truncate" BEFORE TRUNCATE ON "inbox" EXECUTE FUNCTION reject_change('inbox cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "horizon_no_truncate" BEFORE TRUNCATE ON "horizon" EXECUTE FUNCTION reject_change('horizon cannot be emptied');
--> statement-breakpoint
CREATE TRIGGER "restore_no_truncate" BEFORE TRUNCATE ON "restore" EXECUTE FUNCTION reject_change('restore cannot be emptied');
