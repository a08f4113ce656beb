import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { insertAsset, insertStem, insertVersion } from '#test/support/track-fixtures.ts'

describe('track versions in the database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  const trackWithTwoVersions = async () => {
    const { sql } = database
    const trackId = await insertTrackOf(sql, 'acct_alice')
    const original = await insertVersion(sql, trackId)
    const second = await insertVersion(sql, trackId)
    return { sql, trackId, original, second }
  }

  it('always include a current version, which cannot be unset or deleted', async () => {
    const { sql, trackId, second } = await trackWithTwoVersions()
    await expect(sql`update tracks set current_version_id = null where id = ${trackId}`).rejects.toThrow(
      'tracks_one_current_version',
    )
    await sql`update tracks set current_version_id = ${second.id} where id = ${trackId}`
    await expect(sql`delete from track_versions where id = ${second.id}`).rejects.toThrow(
      'tracks_current_version_fk',
    )
  })

  it('always include the original, which cannot be deleted even when another version is current', async () => {
    const { sql, trackId, original, second } = await trackWithTwoVersions()
    await sql`update tracks set current_version_id = ${second.id} where id = ${trackId}`
    await expect(sql`delete from track_versions where id = ${original.id}`).rejects.toThrow(
      'tracks_original_version_fk',
    )
    expect(await sql`select id from track_versions where track_id = ${trackId} and is_original`).toEqual([
      { id: original.id },
    ])
  })

  it('cannot be used by another track', async () => {
    const [{ sql, trackId }, elsewhere] = [await trackWithTwoVersions(), await trackWithTwoVersions()]
    await expect(
      sql`update tracks set current_version_id = ${elsewhere.second.id} where id = ${trackId}`,
    ).rejects.toThrow('tracks_current_version_fk')
    await expect(insertStem(sql, trackId, { versionId: elsewhere.second.id })).rejects.toThrow(
      'media_assets_version_fk',
    )
  })

  it('have only one original file each, which is deleted with the version', async () => {
    const { sql, trackId, second } = await trackWithTwoVersions()
    const original = { kind: 'original', version_id: second.id }
    await expect(insertAsset(sql, trackId, original)).rejects.toThrow('media_assets_original_of_version')
    await sql`delete from track_versions where id = ${second.id}`
    expect(await sql`select id from media_assets where version_id = ${second.id}`).toEqual([])
  })

  it('are deleted with their track', async () => {
    const { sql, trackId, second } = await trackWithTwoVersions()
    await insertStem(sql, trackId, { versionId: second.id })
    await sql`delete from tracks where id = ${trackId}`
    for (const table of ['track_versions', 'media_assets', 'track_stems'])
      expect(await sql`select id from ${sql(table)} where track_id = ${trackId}`).toEqual([])
  })

  it('belong to a track with at most one primary artwork, which must be ready', async () => {
    const { sql, trackId } = await trackWithTwoVersions()
    const artwork = { kind: 'artwork', content_type: 'image/png', is_primary: true }
    await expect(insertAsset(sql, trackId, { ...artwork, status: 'processing' })).rejects.toThrow(
      'media_assets_primary',
    )
    await insertAsset(sql, trackId, artwork)
    await expect(insertAsset(sql, trackId, artwork)).rejects.toThrow('media_assets_primary_artwork')
  })
})
