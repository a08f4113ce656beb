import type { TestDatabase } from '#test/support/database.ts'
import { insertPackLink } from '#test/support/share-fixtures.ts'
import { insertAsset, insertTag, insertVersion } from '#test/support/track-fixtures.ts'

type Sql = TestDatabase['sql']

/** The account whose data the injections are after. The attackers know its id and those of its objects. */
export const victimId = 'acct_victim'

/** Occurs in all of the victim's texts, and nowhere else. */
export const foreignWord = 'quetzal'

const sheet = [{ collaboratorId: `${foreignWord}-writer`, percentage: 90 }]

const insertShared = async (sql: Sql) => {
  const id = 'victim_pack'
  await sql`insert into packs (id, owner_id, name) values (${id}, ${victimId}, ${`${foreignWord} pack`})`
  await sql`insert into pack_tracks (pack_id, track_id, position) values (${id}, 'victim_track', 0)`
  await insertPackLink(sql, id, { name: `${foreignWord} pack link`, accessCode: `${foreignWord}-code` })
  await sql`
    insert into pack_invitations (id, pack_id, email) values ('victim_invitation', ${id}, ${`${foreignWord}@press.test`})`
  await sql`
    insert into libraries (id, owner_id, name, name_key)
    values ('victim_library', ${victimId}, ${`${foreignWord} library`}, ${foreignWord})`
  await sql`
    insert into library_shares (id, library_id, email, access_type)
    values ('victim_share', 'victim_library', ${`${foreignWord}@guest.test`}, 'viewer')`
}

const insertThread = async (sql: Sql) => {
  await sql`
    insert into analysis_threads (id, account_id, title, message_count)
    values ('victim_thread', ${victimId}, ${`${foreignWord} thread`}, 1)`
  await sql`
    insert into analysis_messages (id, thread_id, position, role, text)
    values ('victim_message', 'victim_thread', 1, 'user', ${`${foreignWord} question`})`
}

export const insertVictim = async (sql: Sql) => {
  await sql`insert into subscriptions (account_id, plan_id, status) values (${victimId}, 'pro', 'active')`
  await sql`
    insert into accounts (id, email, display_name)
    values (${victimId}, ${`${foreignWord}@victim.test`}, ${`${foreignWord} name`})`
  for (const id of ['victim_track', 'victim_copy'])
    await sql`
      insert into tracks (id, owner_id, title, artist, isrc, isrc_compact, duration_ms)
      values (${id}, ${victimId}, ${`${foreignWord} title`}, ${`${foreignWord} artist`}, 'QZVIC2600001', 'QZVIC2600001', 60000)`
  await insertVersion(sql, 'victim_track', { label: `${foreignWord} version` })
  await insertAsset(sql, 'victim_track', {
    kind: 'document',
    file_name: `${foreignWord}.pdf`,
    title: foreignWord,
  })
  await insertTag(sql, 'victim_track', { label: `${foreignWord} tag` })
  await sql`
    insert into track_lyrics (track_id, text, source, status) values ('victim_track', ${`${foreignWord} words`}, 'user', 'ready')`
  await sql`
    insert into split_sheets (track_id, master, writers, validated_at)
    values ('victim_track', ${sql.json(sheet)}, ${sql.json(sheet)}, now())`
  await sql`
    insert into track_share_links (id, track_id, name, token_hash, token_preview)
    values ('victim_link', 'victim_track', ${`${foreignWord} link`}, ${'ab'.repeat(32)}, 'tzal')`
  await insertShared(sql)
  await insertThread(sql)
}
