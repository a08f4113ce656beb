import postgres from 'postgres'
import type { BillingStore } from './billing/billing-store.ts'
import { openBillingStore } from './billing/stored-billing.ts'
import { hashAccessCode } from './core/access-code.ts'
import { demoAccounts } from './demo-accounts.ts'

const tracks = [
  { id: 'track_harbour_lights', title: 'Harbour Lights', artist: 'Alice Moreau', releaseDate: '2025-09-12' },
  { id: 'track_slow_tide', title: 'Slow Tide', artist: 'Alice Moreau', releaseDate: '2025-10-03' },
  {
    id: 'track_paper_boats',
    title: 'Paper Boats',
    artist: 'Alice Moreau & Carol Adeyemi',
    releaseDate: null,
  },
  { id: 'track_night_ferry', title: 'Night Ferry (demo)', artist: 'Alice Moreau', releaseDate: null },
] as const

const packId = 'pack_harbour_ep'
const packOrder = ['track_harbour_lights', 'track_paper_boats', 'track_slow_tide']
const libraryId = 'library_film_pitches'
const libraryOrder = ['track_slow_tide', 'track_night_ferry']

const insertAccounts = async (tx: postgres.TransactionSql, { subscriptions }: BillingStore) => {
  for (const { id, email, displayName, planId, billing } of demoAccounts) {
    await tx`
      insert into accounts (id, email, email_verified, display_name) values (${id}, ${email}, true, ${displayName})`
    const subscription = billing && subscriptions[billing.subscriptionId]
    if (!subscription) continue
    await tx`
      insert into subscriptions
        (account_id, plan_id, status, billing_customer_id, billing_subscription_id, current_period_end)
      values (${id}, ${planId}, 'active', ${subscription.customer}, ${subscription.id},
        to_timestamp(${subscription.periodEnd}))
      on conflict do nothing`
  }
}

const insertTracks = async (tx: postgres.TransactionSql) => {
  for (const [age, { id, title, artist, releaseDate }] of tracks.entries())
    await tx`
      insert into tracks (id, owner_id, title, artist, release_date, created_at, updated_at)
      select ${id}, 'acct_alice', ${title}, ${artist}, ${releaseDate}::date, created_at, created_at
      from (select now() - ${age} * interval '1 day' as created_at) as times`
}

const insertPack = async (tx: postgres.TransactionSql) => {
  const pressCodeHash = await hashAccessCode('lighthouse')
  await tx`
    insert into packs (id, owner_id, name, description)
    values (${packId}, 'acct_alice', 'Harbour EP', 'Three songs for the autumn release')`
  await tx`
    insert into pack_tracks (pack_id, track_id, position)
    select ${packId}, track_id, ordinal - 1
    from unnest(${packOrder}::text[]) with ordinality as t(track_id, ordinal)`
  await tx`
    insert into pack_links (id, pack_id, slug, name)
    values ('link_harbour_ep', ${packId}, 'harbour-ep', 'For reviewers')`
  await tx`
    insert into pack_links (id, pack_id, slug, name, access_code_hash, disable_downloads)
    values ('link_harbour_ep_press', ${packId}, 'harbour-ep-press', 'For the press', ${pressCodeHash}, true)`
}

const insertLibrary = async (tx: postgres.TransactionSql) => {
  await tx`
    insert into libraries (id, owner_id, name, name_key, description)
    values (${libraryId}, 'acct_alice', 'Film pitches', 'film pitches', 'Instrumental enough for a scene')`
  await tx`
    insert into library_tracks (library_id, track_id, position)
    select ${libraryId}, track_id, ordinal - 1
    from unnest(${libraryOrder}::text[]) with ordinality as t(track_id, ordinal)`
  await tx`
    insert into library_shares (id, library_id, target_user_id, access_type, invite_status, responded_at)
    values ('share_carol', ${libraryId}, 'acct_carol', 'editor', 'accepted', now())`
  await tx`
    insert into library_shares (id, library_id, email, access_type, invite_status)
    values ('share_bob', ${libraryId}, 'bob@example.test', 'viewer', 'pending')`
}

/**
 * Inserts the demo accounts and Alice's catalogue into a migrated database. If a demo account exists, inserts nothing,
 * so that the user's changes are not overwritten. Subscriptions come from the billing provider's state file, so the
 * database and the provider agree on ids and periods.
 */
export const seedDemoCatalogue = async (databaseUrl: string, billingStateFile?: string): Promise<void> => {
  const { state } = openBillingStore(billingStateFile)
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('demo catalogue', 0))`
      const [seeded] = await tx`select 1 from accounts where id = any(${demoAccounts.map(({ id }) => id)})`
      if (seeded) return
      await insertAccounts(tx, state)
      await insertTracks(tx)
      await insertPack(tx)
      await insertLibrary(tx)
    })
  } finally {
    await sql.end({ timeout: 5 })
  }
}
