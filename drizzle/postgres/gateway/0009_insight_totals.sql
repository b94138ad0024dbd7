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
CREATE TABLE "totals_mark" (
	"id" bigint PRIMARY KEY NOT NULL,
	"turn_seq" bigint NOT NULL,
	"fact_seq" bigint NOT NULL
);
