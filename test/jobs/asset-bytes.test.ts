import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { findMediaAsset } from '#db/queries/media-assets.ts'
import { withAssetBytes } from '#jobs/asset-bytes.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { aFile, finalize, put, putBytes } from '#test/support/uploads.ts'

type Ports = Parameters<typeof withAssetBytes>[1]

describe('the bytes of an asset', () => {
  // Without a worker: what the jobs do is done here, step by step.
  const gateway = startTestGateway({ storage: true })
  const { signal } = new AbortController()
  const ports = (): Ports => {
    const { db } = gateway.database
    return {
      db: { read: db, tx: (work) => db.transaction(work) },
      storage: gateway.storage.port,
      clock: { now: () => new Date() },
    }
  }
  const finalized = async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const intent = await put(account, trackId)
    await finalize(account, intent)
    const asset = await findMediaAsset(gateway.database.db, intent.assetId)
    return { asset: asset!, intent }
  }
  const copiesListed = (assetId: string) => gateway.database.sql<{ key: string }[]>`
    select storage_key as key from object_removals where storage_key like ${`assets/${assetId}/%`}`

  it('are judged where their sender cannot exchange them', async () => {
    const { asset, intent } = await finalized()
    const { bytes } = aFile()
    const read = await withAssetBytes(asset, ports(), signal, async (path) => {
      expect((await putBytes(intent, bytes.toReversed())).status).toBe(200)
      return readFile(path)
    })
    expect(new Uint8Array(read!)).toEqual(bytes)
    const moved = await findMediaAsset(gateway.database.db, asset.id)
    const again = await withAssetBytes(moved!, ports(), signal, (path) => readFile(path))
    expect(new Uint8Array(again!)).toEqual(bytes)
  })

  it('are kept once when two workers take them at once, and the other copy is removed', async () => {
    const { asset } = await finalized()
    const reads = await Promise.all(
      [1, 2].map(() => withAssetBytes(asset, ports(), signal, (path) => readFile(path, 'utf8'))),
    )
    expect(reads[0]).toBe(reads[1])
    const kept = await findMediaAsset(gateway.database.db, asset.id)
    const listed = await copiesListed(asset.id)
    expect(listed).toHaveLength(1)
    expect(listed[0]?.key).not.toBe(kept?.storageKey)
    expect(await gateway.storage.port.find(kept!.storageKey)).not.toBeNull()
  })

  it('are asked for by nobody once the asset is gone', async () => {
    const { asset } = await finalized()
    await gateway.database.sql`delete from media_assets where id = ${asset.id}`
    const work = () => Promise.reject(new Error('read although it is gone'))
    expect(await withAssetBytes(asset, ports(), signal, work)).toBeNull()
    expect(await copiesListed(asset.id)).toHaveLength(1)
  })
})
