import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { findMediaAsset } from '#db/queries/media/media-assets.ts'
import { withAssetFile } from '#jobs/local-copy.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createFile, createIntent, finalizeUpload, putBytes, putFile } from '#test/support/uploads.ts'

type TestPorts = Parameters<typeof withAssetFile>[1]

describe('withAssetFile', () => {
  // No worker is running, so each test performs the jobs' steps itself.
  const gateway = startTestGateway({ storage: true })
  const { signal } = new AbortController()
  const ports = (): TestPorts => {
    const { db } = gateway.database
    return {
      db: createDatabasePort({ db, reader: db }),
      storage: gateway.storage.port,
      clock: { now: () => new Date() },
    }
  }
  const uploadAsset = async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const intent = await putFile(account, trackId)
    await finalizeUpload(account, intent)
    const asset = await findMediaAsset(gateway.database.db, intent.assetId)
    return { asset: asset!, intent }
  }
  const listScheduledCopies = (assetId: string) => gateway.database.sql<{ key: string }[]>`
    select storage_key as key from object_removals where storage_key like ${`assets/${assetId}/%`}`

  it('reads from a copy that the uploader cannot overwrite', async () => {
    const { asset, intent } = await uploadAsset()
    const { bytes } = createFile()
    const read = await withAssetFile(asset, ports(), signal, async (path) => {
      expect((await putBytes(intent, bytes.toReversed())).status).toBe(200)
      return readFile(path)
    })
    expect(new Uint8Array(read!)).toEqual(bytes)
    const moved = await findMediaAsset(gateway.database.db, asset.id)
    const again = await withAssetFile(moved!, ports(), signal, (path) => readFile(path))
    expect(new Uint8Array(again!)).toEqual(bytes)
  })

  it.each([
    ['is still valid', '10 minutes'],
    ['has expired', '-10 minutes'],
  ])(
    'removes the uploaded object a minute after a PUT can last have begun, if its URL %s',
    async (_, until) => {
      const { asset, intent } = await uploadAsset()
      const { sql } = gateway.database
      await sql`update uploads set expires_at = now() + ${until}::interval where id = ${intent.uploadId}`
      await withAssetFile(asset, ports(), signal, (path) => readFile(path))
      const [removal] = await sql<{ waitS: number }[]>`
      select extract(epoch from remove_after - greatest(now(), expires_at))::float8 as "waitS"
      from object_removals join uploads on upload_key = object_removals.storage_key
      where uploads.id = ${intent.uploadId}`
      expect(removal?.waitS).toBeGreaterThan(50)
      expect(removal?.waitS).toBeLessThanOrEqual(61)
    },
  )

  it('reads the stored bytes of a file that was uploaded with a content encoding', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const bytes = new Uint8Array(gzipSync(Buffer.alloc(1_000_000)))
    const intent = await createIntent(account, trackId, createFile({ bytes }))
    const requiredHeaders = { ...intent.requiredHeaders, 'content-encoding': 'gzip' }
    expect((await putBytes({ ...intent, requiredHeaders }, bytes)).status).toBe(200)
    expect((await finalizeUpload(account, intent)).status).toBe(200)
    const asset = await findMediaAsset(gateway.database.db, intent.assetId)
    const read = await withAssetFile(asset!, ports(), signal, (path) => readFile(path))
    expect(new Uint8Array(read!)).toEqual(bytes)
  })

  it('keeps one copy and removes the other if two workers copy at the same time', async () => {
    const { asset } = await uploadAsset()
    const reads = await Promise.all(
      [1, 2].map(() => withAssetFile(asset, ports(), signal, (path) => readFile(path, 'utf8'))),
    )
    expect(reads[0]).toBe(reads[1])
    const stored = await findMediaAsset(gateway.database.db, asset.id)
    const scheduled = await listScheduledCopies(asset.id)
    expect(scheduled).toHaveLength(1)
    expect(scheduled[0]?.key).not.toBe(stored?.storageKey)
    expect(await gateway.storage.port.find(stored!.storageKey)).not.toBeNull()
  })

  it('returns null if the asset was deleted', async () => {
    const { asset } = await uploadAsset()
    await gateway.database.sql`delete from media_assets where id = ${asset.id}`
    const work = () => Promise.reject(new Error('work was called for a deleted asset'))
    expect(await withAssetFile(asset, ports(), signal, work)).toBeNull()
    expect(await listScheduledCopies(asset.id)).toHaveLength(1)
  })
})
