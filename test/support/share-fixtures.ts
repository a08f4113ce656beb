import { randomBytes, scryptSync } from 'node:crypto'
import type { TestDatabase } from './database.ts'
import { insertTrackOf } from './fixtures.ts'
import { insertVersion } from './track-fixtures.ts'

type ShareFixtureSql = TestDatabase['sql']

export const insertPackOf = async (sql: ShareFixtureSql, ownerId: string, trackCount = 1) => {
  const packId = crypto.randomUUID()
  await sql`insert into packs (id, owner_id, name) values (${packId}, ${ownerId}, 'Harbour EP')`
  const trackIds: string[] = []
  for (let position = 0; position < trackCount; position++) {
    const trackId = await insertTrackOf(sql, ownerId, `Track ${position}`)
    await insertVersion(sql, trackId)
    await sql`insert into pack_tracks (pack_id, track_id, position) values (${packId}, ${trackId}, ${position})`
    trackIds.push(trackId)
  }
  return { packId, trackIds }
}

const encodeUnpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

const hashes = new Map<string, string>()

/** The stored form of an access code's hash. It is computed only once for each code, because hashing is slow. */
export const hashAccessCode = (code: string) => {
  const known = hashes.get(code)
  if (known !== undefined) return known
  const salt = randomBytes(16)
  const hash = `$scrypt$ln=14,r=8,p=1$${encodeUnpadded(salt)}$${encodeUnpadded(scryptSync(code, salt, 32, { N: 2 ** 14, r: 8, p: 1 }))}`
  hashes.set(code, hash)
  return hash
}

interface NewPackLink {
  readonly accessCode?: string
  readonly disableDownloads?: boolean
  readonly expiresAt?: Date
  readonly revokedAt?: Date
  readonly name?: string
}

export const insertPackLink = async (sql: ShareFixtureSql, packId: string, link: NewPackLink = {}) => {
  const { accessCode, disableDownloads = false, expiresAt = null, revokedAt = null, name = null } = link
  const id = crypto.randomUUID()
  const slug = randomBytes(16).toString('hex')
  await sql`insert into pack_links ${sql({
    id,
    pack_id: packId,
    slug,
    name,
    access_code_hash: accessCode === undefined ? null : hashAccessCode(accessCode),
    disable_downloads: disableDownloads,
    expires_at: expiresAt,
    revoked_at: revokedAt,
  })}`
  return { id, slug }
}
