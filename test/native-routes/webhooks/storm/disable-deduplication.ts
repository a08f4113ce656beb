import postgres from 'postgres'

/**
 * Breaks the webhook's idempotency for the control run: each stored event gets a unique id, so the database recognizes
 * no duplicate.
 */
export const disableDeduplication = async (databaseUrl: string) => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    await sql.unsafe(`
      create function make_event_id_unique() returns trigger language plpgsql as $$
      begin new.id := new.id || '#' || gen_random_uuid(); return new; end $$;
      create trigger make_event_id_unique before insert on billing_events
      for each row execute function make_event_id_unique()`)
  } finally {
    await sql.end()
  }
}
