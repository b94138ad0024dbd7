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
