-- Functions and operators of SQLite that the gateway's statements use, and the guard of a batch.
CREATE FUNCTION rows_must_be(changed bigint, expected bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	IF changed <> expected THEN
		RAISE EXCEPTION 'lost guard' USING ERRCODE = 'ZD001';
	END IF;
	RETURN changed;
END $$;
--> statement-breakpoint
CREATE FUNCTION max(one bigint, other bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CASE WHEN one >= other THEN one ELSE other END;
--> statement-breakpoint
CREATE FUNCTION min(one bigint, other bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CASE WHEN one <= other THEN one ELSE other END;
--> statement-breakpoint
CREATE FUNCTION json_each(list text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN json_array_elements_text(list::json);
--> statement-breakpoint
CREATE FUNCTION json_extract(document text, path text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN document::json #>> string_to_array(substr(path, 3), '.');
--> statement-breakpoint
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_extract);
--> statement-breakpoint
CREATE FUNCTION remainder(digits text, divisor integer) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN digits::bigint % divisor;
--> statement-breakpoint
CREATE OPERATOR % (LEFTARG = text, RIGHTARG = integer, FUNCTION = remainder);
--> statement-breakpoint
-- A plus keeps SQLite from using an index. It changes no value.
CREATE FUNCTION same(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN value;
--> statement-breakpoint
CREATE OPERATOR + (RIGHTARG = text, FUNCTION = same);
