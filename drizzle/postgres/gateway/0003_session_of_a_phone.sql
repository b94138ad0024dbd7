DROP INDEX "turn_request";--> statement-breakpoint
CREATE UNIQUE INDEX "turn_request" ON "turn" USING btree ("channel","session","dialler","sequence");