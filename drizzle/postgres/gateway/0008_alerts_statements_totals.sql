CREATE TABLE "alert_target" (
	"account_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"address" text COLLATE "C" NOT NULL,
	"secret" text COLLATE "C",
	"proposals" bigint NOT NULL,
	"mentions" bigint NOT NULL,
	"alarms" bigint NOT NULL,
	"code_digest" text COLLATE "C",
	"seen_seq" bigint NOT NULL,
	"alarm_codes" text COLLATE "C" NOT NULL,
	"message" text COLLATE "C",
	"message_id" text COLLATE "C",
	"next_at" bigint,
	"tries" bigint NOT NULL,
	"fence" bigint NOT NULL,
	"sent_at" bigint,
	"problem" text COLLATE "C",
	CONSTRAINT "alert_target_account_id_kind_pk" PRIMARY KEY("account_id","kind"),
	CONSTRAINT "alert_target_due" CHECK (("alert_target"."next_at" IS NULL) = ("alert_target"."message" IS NULL))
);
--> statement-breakpoint
CREATE TABLE "payment_total" (
	"unit" text COLLATE "C" NOT NULL,
	"start" bigint NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"channel" text COLLATE "C" NOT NULL,
	"network" text COLLATE "C" NOT NULL,
	"outcome" text COLLATE "C" NOT NULL,
	"payments" bigint NOT NULL,
	"prompted" bigint NOT NULL,
	"price_minor" bigint NOT NULL,
	"charged_minor" bigint NOT NULL,
	CONSTRAINT "payment_total_unit_start_merchant_id_livemode_channel_network_outcome_pk" PRIMARY KEY("unit","start","merchant_id","livemode","channel","network","outcome")
);
--> statement-breakpoint
CREATE TABLE "screen_total" (
	"unit" text COLLATE "C" NOT NULL,
	"start" bigint NOT NULL,
	"merchant_id" text COLLATE "C" NOT NULL,
	"channel" text COLLATE "C" NOT NULL,
	"language" text COLLATE "C" NOT NULL,
	"screen" text COLLATE "C" NOT NULL,
	"measure" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "screen_total_unit_start_merchant_id_channel_language_screen_measure_pk" PRIMARY KEY("unit","start","merchant_id","channel","language","screen","measure")
);
--> statement-breakpoint
CREATE TABLE "service_statement" (
	"merchant_id" text COLLATE "C" NOT NULL,
	"livemode" bigint NOT NULL,
	"date" text COLLATE "C" NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"lines" text COLLATE "C" NOT NULL,
	"imported_by" text COLLATE "C" NOT NULL,
	"imported_at" bigint NOT NULL,
	CONSTRAINT "service_statement_merchant_id_livemode_date_pk" PRIMARY KEY("merchant_id","livemode","date")
);
--> statement-breakpoint
CREATE TABLE "totals_mark" (
	"id" bigint PRIMARY KEY NOT NULL,
	"turn_seq" bigint NOT NULL,
	"fact_seq" bigint NOT NULL
);
