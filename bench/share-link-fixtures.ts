import { randomBytes, randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { hashToken } from '#db/token-hash.ts'

type LinkTable = 'track_share_links' | 'split_sheet_links'
/** Why a link may not open. */
interface LinkState {
  readonly expiresAt?: Date
  readonly revokedAt?: Date
}

/** Inserts an account's tracks, a pack of them and links to both into an empty database. */
export const openShareLinkFixtures = (databaseUrl: string) => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  const ownerId = 'acct_bench'
  const packId = 'pack_bench'
  const trackIds = ['track_bench_1', 'track_bench_2', 'track_bench_3']

  const insertPack = async () => {
    await sql`insert into accounts (id, display_name) values (${ownerId}, 'Bench')`
    await sql`insert into packs (id, owner_id, name) values (${packId}, ${ownerId}, 'Bench')`
    for (const [position, id] of trackIds.entries()) {
      const [title, artist] = [`Track ${position}`, 'The Benches']
      await sql`insert into tracks ${sql({ id, owner_id: ownerId, title, artist, duration_ms: 201_000 })}`
      await sql`insert into pack_tracks ${sql({ pack_id: packId, track_id: id, position })}`
    }
    await sql`
      insert into split_sheets (track_id, master, writers, validated_at)
      values (${trackIds[0] ?? ''}, '[]', '[]', now())`
  }

  /** Resolves to the token of a new link to the first track or to its split sheet. */
  const insertLink = async (table: LinkTable, { expiresAt, revokedAt }: LinkState = {}) => {
    const token = randomBytes(32).toString('base64url')
    await sql`insert into ${sql(table)} ${sql({
      id: randomUUID(),
      track_id: trackIds[0] ?? '',
      token_hash: hashToken(token),
      token_preview: token.slice(-4),
      expires_at: expiresAt ?? null,
      revoked_at: revokedAt ?? null,
    })}`
    return token
  }

  /** Resolves to the slug of a new link to the pack. */
  const insertPackLink = async ({ expiresAt, revokedAt }: LinkState = {}) => {
    const slug = randomBytes(16).toString('hex')
    await sql`insert into pack_links ${sql({
      id: randomUUID(),
      pack_id: packId,
      slug,
      expires_at: expiresAt ?? null,
      revoked_at: revokedAt ?? null,
    })}`
    return slug
  }

  return {
    insertPack,
    insertLink,
    insertPackLink,
    analyze: async () => {
      await sql`vacuum analyze`
    },
    close: () => sql.end(),
  }
}
