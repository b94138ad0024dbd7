CREATE TABLE "account_day_total" (
	"day" bigint NOT NULL,
	"account" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"amount_minor" bigint NOT NULL,
	"postings" bigint NOT NULL,
	CONSTRAINT "account_day_total_day_account_livemode_pk" PRIMARY KEY("day","account","livemode")
);
--> statement-breakpoint
CREATE TABLE "account_total" (
	"account" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"amount_minor" bigint NOT NULL,
	"postings" bigint NOT NULL,
	CONSTRAINT "account_total_account_livemode_pk" PRIMARY KEY("account","livemode")
);
--> statement-breakpoint
CREATE TABLE "collection" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"version" bigint NOT NULL,
	"channel" text COLLATE "C" NOT NULL,
	"dialogue_id" text COLLATE "C" NOT NULL,
	"dialler" text COLLATE "C" NOT NULL,
	"payer" text COLLATE "C" NOT NULL,
	"requested_by" text COLLATE "C" NOT NULL,
	"network" text COLLATE "C" NOT NULL,
	"reference" text COLLATE "C" NOT NULL,
	"short_reference" text COLLATE "C" NOT NULL,
	"retry_of" text COLLATE "C",
	"goods_minor" bigint NOT NULL,
	"shown_total_minor" bigint,
	"amount_minor" bigint,
	"fee_minor" bigint,
	"net_minor" bigint,
	"booked" text COLLATE "C",
	"amount_source" text COLLATE "C",
	"unplaced_id" text COLLATE "C",
	"create_key" text COLLATE "C" NOT NULL,
	"create_body" text COLLATE "C" NOT NULL,
	"initiate_key" text COLLATE "C" NOT NULL,
	"session_id" text COLLATE "C",
	"opened_at" bigint NOT NULL,
	"prompt_not_before" bigint NOT NULL,
	"prompt_deadline" bigint NOT NULL,
	"initiate_sent_at" bigint,
	"initiate_sends" bigint NOT NULL,
	"initiate_rejection" text COLLATE "C",
	"initiated_at" bigint,
	"paid_at" text COLLATE "C",
	"closed_at" bigint,
	"confirmed_at" bigint,
	"reported_failure" text COLLATE "C",
	"late" bigint NOT NULL,
	"lapsed_at" bigint,
	"restored_at" bigint,
	"reason" text COLLATE "C",
	"review" text COLLATE "C",
	"awaits_service_since" bigint,
	"next_at" bigint,
	"lease_until" bigint NOT NULL,
	"fence" bigint NOT NULL,
	"home" text COLLATE "C",
	"attempts" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "collection_due_while_scheduled" CHECK (("collection"."next_at" IS NOT NULL) = ("collection"."status" IN ('accepted', 'created', 'initiating', 'initiated') OR ("collection"."status" = 'paid' AND "collection"."confirmed_at" IS NULL)
        OR ("collection"."status" = 'review' AND "collection"."awaits_service_since" IS NOT NULL))),
	CONSTRAINT "collection_requested_by" CHECK (("collection"."requested_by" = 'payer') = ("collection"."payer" = "collection"."dialler")
        AND "collection"."requested_by" IN ('payer', 'attendant', 'other')),
	CONSTRAINT "collection_goods_positive" CHECK ("collection"."goods_minor" > 0)
);
--> statement-breakpoint
CREATE TABLE "deleted_turn" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL,
	"hash" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dialler_setting" (
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"msisdn" text COLLATE "C" NOT NULL,
	"language" text COLLATE "C",
	"opted_out_at" bigint,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "dialler_setting_merchant_id_livemode_msisdn_pk" PRIMARY KEY("merchant_id","livemode","msisdn")
);
--> statement-breakpoint
CREATE TABLE "dialler_setting_change" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "dialler_setting_change_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"msisdn" text COLLATE "C" NOT NULL,
	"language" text COLLATE "C",
	"opted_out_at" bigint,
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "fact" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "fact_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"subject_id" text COLLATE "C" NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"version" bigint NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"data" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "horizon" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "inbox" (
	"merchant_id" text COLLATE "C" NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"session_id" text COLLATE "C",
	"body" text COLLATE "C" NOT NULL,
	"received_at" bigint NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"next_at" bigint,
	"lease_until" bigint NOT NULL,
	"attempts" bigint NOT NULL,
	"stale" bigint NOT NULL,
	CONSTRAINT "inbox_merchant_id_event_id_pk" PRIMARY KEY("merchant_id","event_id"),
	CONSTRAINT "inbox_due_while_waiting" CHECK (("inbox"."next_at" IS NOT NULL) = ("inbox"."state" = 'waiting'))
);
--> statement-breakpoint
CREATE TABLE "ledger_file" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"cluster" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "posting" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "posting_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"subject_id" text COLLATE "C" NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"version" bigint NOT NULL,
	"booking" text COLLATE "C" NOT NULL,
	"account" text COLLATE "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"at" bigint NOT NULL,
	CONSTRAINT "posting_not_zero" CHECK ("posting"."amount_minor" <> 0)
);
--> statement-breakpoint
CREATE TABLE "proposal" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"subject_kind" text COLLATE "C" NOT NULL,
	"subject_id" text COLLATE "C" NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"outcome" text COLLATE "C" NOT NULL,
	"evidence" text COLLATE "C" NOT NULL,
	"reference" text COLLATE "C",
	"version_seen" bigint NOT NULL,
	"target_id" text COLLATE "C",
	"target_version" bigint,
	"proposed_by" text COLLATE "C" NOT NULL,
	"proposed_at" bigint NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"decided_by" text COLLATE "C",
	"decided_at" bigint
);
--> statement-breakpoint
CREATE TABLE "quote" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"dialogue_id" text COLLATE "C" NOT NULL,
	"create_key" text COLLATE "C" NOT NULL,
	"create_body" text COLLATE "C" NOT NULL,
	"requested_at" bigint NOT NULL,
	"session" text COLLATE "C",
	"answered_at" bigint
);
--> statement-breakpoint
CREATE TABLE "restore" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "restore_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"taken_at" bigint,
	"restored_at" bigint,
	"begun_at" bigint,
	"done_at" bigint
);
--> statement-breakpoint
CREATE TABLE "seal" (
	"number" bigint PRIMARY KEY NOT NULL,
	"fact_seq" bigint NOT NULL,
	"posting_seq" bigint NOT NULL,
	"turn_seq" bigint NOT NULL,
	"setting_seq" bigint NOT NULL,
	"action_seq" bigint NOT NULL,
	"rows" bigint NOT NULL,
	"at" bigint NOT NULL,
	"previous_hash" text COLLATE "C" NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"key_id" text COLLATE "C",
	"signature" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "staff_action" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "staff_action_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" bigint NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"action" text COLLATE "C" NOT NULL,
	"result" text COLLATE "C" NOT NULL,
	"subject_kind" text COLLATE "C" NOT NULL,
	"subject_id" text COLLATE "C" NOT NULL,
	"merchant_id" text COLLATE "C",
	"livemode" bigint NOT NULL,
	"detail" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "turn" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "turn_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"channel" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C" NOT NULL,
	"sequence" bigint NOT NULL,
	"dialogue_id" text COLLATE "C" NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"dialler" text COLLATE "C" NOT NULL,
	"operator" text COLLATE "C" NOT NULL,
	"input" text COLLATE "C",
	"position" text COLLATE "C",
	"payer" text COLLATE "C",
	"ussd_ref" text COLLATE "C",
	"ending" text COLLATE "C",
	"state" text COLLATE "C" NOT NULL,
	"reply" text COLLATE "C" NOT NULL,
	"screen" text COLLATE "C" NOT NULL,
	"collection_id" text COLLATE "C",
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unplaced_payment" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"session_id" text COLLATE "C",
	"charge" bigint NOT NULL,
	"event_id" text COLLATE "C",
	"event_type" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"version" bigint NOT NULL,
	"amount_minor" bigint,
	"suspended_minor" bigint NOT NULL,
	"goods_minor" bigint,
	"fee_minor" bigint,
	"net_minor" bigint,
	"payer" text COLLATE "C",
	"reference" text COLLATE "C",
	"client_trans_id" text COLLATE "C",
	"channel" text COLLATE "C",
	"paid_at" text COLLATE "C",
	"reason" text COLLATE "C" NOT NULL,
	"note" text COLLATE "C",
	"collection_id" text COLLATE "C",
	"received_at" bigint NOT NULL,
	"closed_at" bigint,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "unplaced_payment_suspended" CHECK ("unplaced_payment"."suspended_minor" = CASE WHEN "unplaced_payment"."state" = 'open' THEN coalesce("unplaced_payment"."amount_minor", 0) ELSE 0 END),
	CONSTRAINT "unplaced_payment_placed" CHECK (("unplaced_payment"."state" = 'placed') = ("unplaced_payment"."collection_id" IS NOT NULL))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "collection_session" ON "collection" USING btree ("session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "collection_open_payer" ON "collection" USING btree ("merchant_id","payer","livemode","requested_by") WHERE "collection"."status" IN ('accepted', 'created', 'initiating', 'initiated') AND "collection"."lapsed_at" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "collection_short_reference" ON "collection" USING btree ("short_reference","merchant_id","livemode");--> statement-breakpoint
CREATE UNIQUE INDEX "collection_retry_of" ON "collection" USING btree ("retry_of") WHERE "collection"."retry_of" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "collection_due" ON "collection" USING btree ("livemode","merchant_id","next_at") WHERE "collection"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "collection_unprompted" ON "collection" USING btree ("livemode","next_at") WHERE "collection"."status" IN ('accepted', 'created');--> statement-breakpoint
CREATE INDEX "collection_payer" ON "collection" USING btree ("payer","merchant_id","livemode","opened_at","requested_by");--> statement-breakpoint
CREATE INDEX "collection_dialler" ON "collection" USING btree ("dialler","merchant_id","livemode","opened_at","requested_by");--> statement-breakpoint
CREATE INDEX "collection_requested_payer" ON "collection" USING btree ("payer","livemode","requested_by","opened_at") WHERE "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX "collection_requested_dialler" ON "collection" USING btree ("dialler","livemode","requested_by","opened_at") WHERE "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX "collection_declined_payer" ON "collection" USING btree ("payer","livemode","requested_by","closed_at") WHERE "collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX "collection_declined_dialler" ON "collection" USING btree ("dialler","livemode","requested_by","closed_at") WHERE "collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX "collection_unconfirmed" ON "collection" USING btree ("merchant_id","livemode","amount_minor") WHERE "collection"."status" = 'paid' AND "collection"."confirmed_at" IS NULL;--> statement-breakpoint
CREATE INDEX "collection_reference" ON "collection" USING btree ("reference");--> statement-breakpoint
CREATE INDEX "collection_opened" ON "collection" USING btree ("opened_at","goods_minor","reference","shown_total_minor","amount_minor","channel","network");--> statement-breakpoint
CREATE INDEX "collection_merchant_opened" ON "collection" USING btree ("merchant_id","opened_at","goods_minor","livemode","requested_by");--> statement-breakpoint
CREATE INDEX "collection_closed" ON "collection" USING btree ("status","opened_at","goods_minor") WHERE "collection"."status" NOT IN ('accepted', 'created', 'initiating', 'initiated');--> statement-breakpoint
CREATE INDEX "collection_review" ON "collection" USING btree ("opened_at","goods_minor") WHERE "collection"."review" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "collection_review_reason" ON "collection" USING btree ("review") WHERE "collection"."review" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "collection_reason" ON "collection" USING btree ("reason","opened_at","goods_minor") WHERE "collection"."reason" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "collection_payer_ending" ON "collection" USING btree (("payer" % 10000));--> statement-breakpoint
CREATE INDEX "collection_dialler_ending" ON "collection" USING btree (("dialler" % 10000)) WHERE "collection"."requested_by" <> 'payer';--> statement-breakpoint
CREATE INDEX "collection_dialogue" ON "collection" USING btree ("dialogue_id");--> statement-breakpoint
CREATE INDEX "dialler_setting_change_of" ON "dialler_setting_change" USING btree ("merchant_id","livemode","msisdn","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "fact_version" ON "fact" USING btree ("subject_id","version");--> statement-breakpoint
CREATE INDEX "inbox_due" ON "inbox" USING btree ("next_at") WHERE "inbox"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "inbox_session" ON "inbox" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "inbox_unplaced" ON "inbox" USING btree ("received_at","type","merchant_id","state") WHERE "inbox"."state" IN ('parked', 'dead');--> statement-breakpoint
CREATE INDEX "inbox_bodies" ON "inbox" USING btree ("received_at") WHERE "inbox"."body" <> '' AND "inbox"."state" IN ('handled', 'hint');--> statement-breakpoint
CREATE UNIQUE INDEX "posting_once" ON "posting" USING btree ("subject_id","version","booking","account");--> statement-breakpoint
CREATE UNIQUE INDEX "posting_closing_once" ON "posting" USING btree ("subject_id") WHERE "posting"."booking" IN ('paid', 'suspense') AND "posting"."account" = 'payers';--> statement-breakpoint
CREATE INDEX "posting_at" ON "posting" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "proposal_open" ON "proposal" USING btree ("subject_id") WHERE "proposal"."state" = 'open';--> statement-breakpoint
CREATE INDEX "proposal_subject" ON "proposal" USING btree ("subject_id","proposed_at");--> statement-breakpoint
CREATE INDEX "quote_requested" ON "quote" USING btree ("requested_at");--> statement-breakpoint
CREATE INDEX "staff_action_subject" ON "staff_action" USING btree ("subject_id","seq");--> statement-breakpoint
CREATE INDEX "staff_action_actor" ON "staff_action" USING btree ("actor","seq");--> statement-breakpoint
CREATE INDEX "staff_action_action" ON "staff_action" USING btree ("action","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "turn_request" ON "turn" USING btree ("channel","session","sequence");--> statement-breakpoint
CREATE INDEX "turn_dialogue" ON "turn" USING btree ("dialogue_id");--> statement-breakpoint
CREATE INDEX "turn_phone" ON "turn" USING btree ("dialler","at");--> statement-breakpoint
CREATE INDEX "turn_collection" ON "turn" USING btree ("collection_id") WHERE "turn"."collection_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "turn_at" ON "turn" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "unplaced_payment_session" ON "unplaced_payment" USING btree ("session_id","merchant_id","livemode","charge");--> statement-breakpoint
CREATE INDEX "unplaced_payment_received" ON "unplaced_payment" USING btree ("received_at","suspended_minor");--> statement-breakpoint
CREATE INDEX "unplaced_payment_open" ON "unplaced_payment" USING btree ("received_at","merchant_id","suspended_minor") WHERE "unplaced_payment"."state" = 'open';--> statement-breakpoint
CREATE INDEX "unplaced_payment_payer" ON "unplaced_payment" USING btree ("payer") WHERE "unplaced_payment"."payer" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "unplaced_payment_reference" ON "unplaced_payment" USING btree ("reference") WHERE "unplaced_payment"."reference" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "unplaced_payment_event" ON "unplaced_payment" USING btree ("event_id") WHERE "unplaced_payment"."event_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "unplaced_payment_trans_id" ON "unplaced_payment" USING btree ("client_trans_id") WHERE "unplaced_payment"."client_trans_id" IS NOT NULL;--> statement-breakpoint
CREATE TABLE "notification" (
	"endpoint_id" text COLLATE "C" NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"collection_id" text COLLATE "C",
	"body" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"next_at" bigint,
	"fence" bigint NOT NULL,
	"planned_at" bigint NOT NULL,
	"tries" bigint NOT NULL,
	CONSTRAINT "notification_endpoint_id_event_id_pk" PRIMARY KEY("endpoint_id","event_id"),
	CONSTRAINT "notification_due_while_waiting" CHECK (("notification"."next_at" IS NOT NULL) = ("notification"."state" = 'waiting'))
);
--> statement-breakpoint
CREATE TABLE "notification_attempt" (
	"endpoint_id" text COLLATE "C" NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"started_at" bigint NOT NULL,
	"duration_ms" bigint NOT NULL,
	"status" bigint,
	"error" text COLLATE "C",
	"answer" text COLLATE "C",
	CONSTRAINT "notification_attempt_endpoint_id_event_id_number_pk" PRIMARY KEY("endpoint_id","event_id","number")
);
--> statement-breakpoint
CREATE TABLE "notification_endpoint" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"url" text COLLATE "C" NOT NULL,
	"whole_payer" bigint NOT NULL,
	"secret" text COLLATE "C" NOT NULL,
	"previous_secret" text COLLATE "C",
	"previous_until" bigint,
	"created_at" bigint NOT NULL,
	"failing_since" bigint,
	"last_failed_at" bigint,
	"disabled_at" bigint,
	"disabled_reason" text COLLATE "C",
	CONSTRAINT "notification_endpoint_disabled" CHECK (("notification_endpoint"."disabled_at" IS NULL) = ("notification_endpoint"."disabled_reason" IS NULL))
);
--> statement-breakpoint
CREATE INDEX "notification_due" ON "notification" USING btree ("endpoint_id","next_at") WHERE "notification"."next_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "notification_listed" ON "notification" USING btree ("endpoint_id","at","event_id");--> statement-breakpoint
CREATE INDEX "notification_at" ON "notification" USING btree ("at");--> statement-breakpoint
CREATE INDEX "notification_endpoint_active" ON "notification_endpoint" USING btree ("merchant_id","livemode") WHERE "notification_endpoint"."disabled_at" IS NULL;--> statement-breakpoint
CREATE TABLE "merchant_key" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"scopes" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint,
	"revoked_at" bigint
);
--> statement-breakpoint
CREATE UNIQUE INDEX "merchant_key_digest" ON "merchant_key" USING btree ("digest");--> statement-breakpoint
CREATE TABLE "merchant_request" (
	"key_id" text COLLATE "C" NOT NULL,
	"idempotency_key" text COLLATE "C" NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"answer" text COLLATE "C",
	"at" bigint NOT NULL,
	CONSTRAINT "merchant_request_key_id_idempotency_key_pk" PRIMARY KEY("key_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "account" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"role" text COLLATE "C" NOT NULL,
	"merchant_id" text COLLATE "C",
	"password" text COLLATE "C",
	"seed" text COLLATE "C",
	"next_seed" text COLLATE "C",
	"last_step" bigint NOT NULL,
	"code_digest" text COLLATE "C",
	"code_until" bigint,
	"last_network" bigint,
	"created_at" bigint NOT NULL,
	"disabled_at" bigint
);
--> statement-breakpoint
CREATE TABLE "account_session" (
	"digest" text COLLATE "C" PRIMARY KEY NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"account_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL,
	"confirmed_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recovery_code" (
	"account_id" text COLLATE "C" NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	CONSTRAINT "recovery_code_account_id_digest_pk" PRIMARY KEY("account_id","digest")
);
--> statement-breakpoint
CREATE TABLE "passkey" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"account_id" text COLLATE "C" NOT NULL,
	"label" text COLLATE "C" NOT NULL,
	"credential_id" text COLLATE "C" NOT NULL,
	"public_key" text COLLATE "C" NOT NULL,
	"counter" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempt" (
	"kind" text COLLATE "C" NOT NULL,
	"bucket" bigint NOT NULL,
	"failures" bigint NOT NULL,
	"at" bigint NOT NULL,
	CONSTRAINT "sign_in_attempt_kind_bucket_pk" PRIMARY KEY("kind","bucket")
);
--> statement-breakpoint
CREATE INDEX "merchant_request_at" ON "merchant_request" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "account_name" ON "account" USING btree ("name");--> statement-breakpoint
CREATE INDEX "account_session_account" ON "account_session" USING btree ("account_id");--> statement-breakpoint
CREATE TABLE "used_challenge" (
	"digest" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "passkey_credential" ON "passkey" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkey_account" ON "passkey" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "used_challenge_at" ON "used_challenge" USING btree ("at");--> statement-breakpoint
CREATE TABLE "saved_view" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"account_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"query" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "saved_view_name" ON "saved_view" USING btree ("account_id","name");--> statement-breakpoint
CREATE INDEX "fact_notified" ON "fact" USING btree ("merchant_id","seq") WHERE "fact"."kind" IN ('accepted', 'paid', 'confirmed', 'suspended', 'suspense_corrected', 'failed', 'expired', 'abandoned', 'review_opened', 'flagged', 'lapsed', 'decided', 'matched', 'refund_reported');
