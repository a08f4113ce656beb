CREATE OR REPLACE FUNCTION remove_object_later() RETURNS trigger AS $$
BEGIN
  -- An asset that was not copied yet lies where its upload was put, and the address of that may be used until it expires.
  INSERT INTO object_removals (storage_key, remove_after)
  VALUES (OLD.storage_key, coalesce(
    (SELECT greatest(now(), expires_at) + interval '1 minute' FROM uploads WHERE upload_key = OLD.storage_key), now()))
  ON CONFLICT (storage_key) DO UPDATE SET remove_after = greatest(object_removals.remove_after, EXCLUDED.remove_after);
  RETURN NULL;
END;
$$ LANGUAGE plpgsql;
