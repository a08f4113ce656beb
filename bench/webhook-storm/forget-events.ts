import postgres from 'postgres'

/**
 * Breaks what makes the webhook idempotent, for a control: each event that is kept gets an id of its own, so that the
 * database never knows one again.
 */
export const forgetEvents = async (databaseUrl: string) => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    await sql.unsafe(`
      create function forget_the_event() returns trigger language plpgsql as $$
      begin new.id := new.id || '#' || gen_random_uuid(); return new; end $$;
      create trigger forget_the_event before insert on billing_events
      for each row execute function forget_the_event()`)
  } finally {
    await sql.end()
  }
}
