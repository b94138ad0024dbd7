DROP INDEX `collection_merchant_opened`;--> statement-breakpoint
CREATE INDEX `collection_merchant_reason` ON `collection` (`merchant_id`,`opened_at`,`livemode`,`status`,`reason`,`review`) WHERE coalesce("collection"."reason", "collection"."review") IS NOT NULL;--> statement-breakpoint
CREATE INDEX `collection_merchant_late` ON `collection` (`merchant_id`,`opened_at`,`livemode`) WHERE "collection"."late" = 1;--> statement-breakpoint
CREATE INDEX `collection_merchant_opened` ON `collection` (`merchant_id`,`opened_at`,`goods_minor`,`livemode`,`requested_by`,`channel`,`network`);--> statement-breakpoint
CREATE INDEX `staff_action_merchant` ON `staff_action` (`merchant_id`,`seq`) WHERE "staff_action"."merchant_id" IS NOT NULL;