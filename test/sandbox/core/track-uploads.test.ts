import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { usualLimits } from '#sandbox/core/media-limits.ts'
import { invalidPaths, makeTrack, timestamp } from './running-core.ts'
import { announce, putBytes, runStoringCore, type StoringCore, upload } from './storing-core.ts'

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore()
})
afterAll(() => core.close())

const ownTrack = async () => {
  const alice = await core.signIn()
  return { alice, trackId: await makeTrack(alice) }
}

const jobsOf = async (queue: string, key: string, value: string) =>
  core.sql`select state from pgboss.job where name = ${queue} and data ->> ${key} = ${value}`

describe('tracks.versions.upload', () => {
  it('answers where the bytes go and what to call then', async () => {
    const { alice, trackId } = await ownTrack()
    const { status, body } = await alice.post(`/v1/tracks/${trackId}/versions/uploads`, {
      fileName: ' Tide (final).wav ',
      contentType: 'Audio/WAV; codecs=1',
      byteSize: 4,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      uploadId: expect.any(String),
      trackId,
      assetId: expect.any(String),
      signedUrl: expect.stringContaining(core.storageEndpoint),
      method: 'PUT',
      expiresAt: expect.stringMatching(timestamp),
      requiredHeaders: { 'content-type': 'audio/wav' },
      finalizeUrl: `${core.url}/v1/tracks/${trackId}/uploads/${body.uploadId}/finalize`,
    })
    const seconds = (Date.parse(body.expiresAt) - Date.now()) / 1000
    expect(Math.abs(seconds - usualLimits.uploadSeconds)).toBeLessThan(10)
    expect(await putBytes(body, 'WAVE')).toBe(200)
  })

  it('signs for these bytes and for no others', async () => {
    const { alice, trackId } = await ownTrack()
    const intent = await announce(alice, trackId, 'WAVE')
    expect(await putBytes(intent, 'WAVES')).toBe(403)
    expect(await putBytes({ ...intent, requiredHeaders: { 'content-type': 'text/html' } }, 'WAVE')).toBe(403)
  })

  it('names the address clients use, whether it is set or a proxy tells', async () => {
    const { alice, trackId } = await ownTrack()
    const request = {
      method: 'POST',
      body: '{"fileName":"a.wav","contentType":"audio/wav","byteSize":1}',
      headers: {
        authorization: `Bearer ${alice.token}`,
        'x-forwarded-host': 'api.example.test',
        'x-forwarded-proto': 'https',
      },
    }
    const { body } = await core.send(`/v1/tracks/${trackId}/versions/uploads`, request)
    expect(body.finalizeUrl).toMatch(/^https:\/\/api\.example\.test\/v1\/tracks\//)

    const other = await runStoringCore({ publicBaseUrl: 'https://music.example.test' })
    onTestFinished(other.close)
    const bob = await other.signIn()
    const intent = await announce(bob, await makeTrack(bob), 'WAVE')
    expect(intent.finalizeUrl).toMatch(/^https:\/\/music\.example\.test\/v1\/tracks\//)
  })

  it.each([
    ['a path for a name', { fileName: '../a.wav' }, 'fileName'],
    ['a Windows path for a name', { fileName: 'a\\b.wav' }, 'fileName'],
    ['no name', { fileName: '' }, 'fileName'],
    ['a name of 256 characters', { fileName: 'x'.repeat(256) }, 'fileName'],
    ['what is no audio', { contentType: 'video/mp4' }, 'contentType'],
    ['no type', { contentType: undefined }, 'contentType'],
    ['nothing', { byteSize: 0 }, 'byteSize'],
    ['half a byte', { byteSize: 1.5 }, 'byteSize'],
    ['more than a gibibyte', { byteSize: 1024 ** 3 + 1 }, 'byteSize'],
  ])('refuses %s', async (_, change, path) => {
    const { alice, trackId } = await ownTrack()
    const file = { fileName: 'a.wav', contentType: 'audio/wav', byteSize: 1024 ** 3, ...change }
    expect(invalidPaths(await alice.post(`/v1/tracks/${trackId}/versions/uploads`, file))).toEqual([path])
  })
})

describe('tracks.artwork.upload and tracks.documents.upload', () => {
  it.each([
    ['artwork', 'image/svg+xml', 1, 'contentType'],
    ['artwork', 'audio/wav', 1, 'contentType'],
    ['artwork', 'image/png', 20 * 1024 ** 2 + 1, 'byteSize'],
    ['documents', 'text/html', 1, 'contentType'],
    ['documents', 'application/pdf', 50 * 1024 ** 2 + 1, 'byteSize'],
  ])('refuse as %s %s of %d bytes', async (folder, contentType, byteSize, path) => {
    const { alice, trackId } = await ownTrack()
    const file = { fileName: 'a', contentType, byteSize }
    expect(invalidPaths(await alice.post(`/v1/tracks/${trackId}/${folder}/uploads`, file))).toEqual([path])
  })

  it.each([
    ['artwork', 'image/heic'],
    ['documents', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['documents', 'application/vnd.oasis.opendocument.text'],
    ['documents', 'text/csv'],
    ['documents', 'image/png'],
  ])('take as %s %s', async (folder, contentType) => {
    const { alice, trackId } = await ownTrack()
    const file = { fileName: 'a', contentType, byteSize: 1 }
    expect((await alice.post(`/v1/tracks/${trackId}/${folder}/uploads`, file)).status).toBe(201)
  })

  it('keep what a document is about', async () => {
    const { alice, trackId } = await ownTrack()
    const documents = `/v1/tracks/${trackId}/documents/uploads`
    const file = { fileName: 'deal.pdf', contentType: 'application/pdf', byteSize: 3 }
    const titled = await alice.post(documents, { ...file, title: ' The deal ', documentType: 'contract' })
    const plain = await alice.post(documents, { ...file, title: null })
    for (const { body } of [titled, plain]) {
      await putBytes(body, 'PDF')
      await alice.post(new URL(body.finalizeUrl).pathname)
    }
    const { body } = await alice.get(`/v1/tracks/${trackId}/media-assets`)
    expect(body).toMatchObject({
      artwork: [],
      documents: [
        { id: plain.body.assetId, title: null, documentType: null },
        { id: titled.body.assetId, title: 'The deal', documentType: 'contract' },
      ],
    })
    expect(invalidPaths(await alice.post(documents, { ...file, documentType: 'poem' }))).toEqual([
      'documentType',
    ])
  })
})

describe('tracks.uploads.finalize', () => {
  it('makes the first version the original and current, and leaves it to the workers', async () => {
    const { alice, trackId } = await ownTrack()
    const intent = await announce(alice, trackId, 'WAVE')
    await putBytes(intent, 'WAVE')
    const finalize = new URL(intent.finalizeUrl).pathname
    const { status, body } = await alice.post(finalize)
    expect(status).toBe(200)
    expect(body).toEqual({
      uploadId: intent.uploadId,
      trackId,
      assetId: intent.assetId,
      status: 'finalized',
      kind: 'version',
      versionId: expect.any(String),
    })
    const versions = await alice.get(`/v1/tracks/${trackId}/versions`)
    expect(versions.body).toEqual({
      trackId,
      currentVersionId: body.versionId,
      versions: [
        {
          id: body.versionId,
          versionNumber: 1,
          label: null,
          isOriginal: true,
          isCurrent: true,
          status: 'processing',
          fileName: 'tide.wav',
          contentType: 'audio/wav',
          byteSize: 4,
          durationMs: null,
          sampleRate: null,
          channels: null,
          assetId: intent.assetId,
          createdAt: expect.stringMatching(timestamp),
        },
      ],
    })
    const processing = await alice.get(`/v1/tracks/${trackId}/processing-status`)
    expect(processing.body.ingestionRun).toMatchObject({ trigger: 'upload', status: 'queued' })
    expect(await jobsOf('process-version', 'runId', processing.body.ingestionRun.id)).toEqual([
      { state: 'created' },
    ])
  })

  it('does everything once, however often and however fast it is asked', async () => {
    const { alice, trackId } = await ownTrack()
    const intent = await announce(alice, trackId, 'WAVE')
    await putBytes(intent, 'WAVE')
    const finalize = new URL(intent.finalizeUrl).pathname
    const answers = await Promise.all(Array.from({ length: 8 }, () => alice.post(finalize)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.versionId)).size).toBe(1)
    expect((await alice.get(`/v1/tracks/${trackId}/versions`)).body.versions).toHaveLength(1)
    const [row] = await core.sql`select storage_key from media_assets where id = ${intent.assetId}`
    expect(await core.sql`select 1 from object_removals where storage_key = ${row!.storage_key}`).toEqual([])
  })

  it('keeps the bytes that were checked, whatever is put at the address later', async () => {
    const { alice, trackId } = await ownTrack()
    const { assetId } = await upload(alice, trackId, 'WAVE')
    const [row] = await core.sql`select upload_key, storage_key from uploads where asset_id = ${assetId}`
    expect(row!.upload_key).not.toBe(row!.storage_key)
    expect(await core.sql`select 1 from object_removals where storage_key = ${row!.upload_key}`).toHaveLength(
      1,
    )
  })

  it('does not make a later version current', async () => {
    const { alice, trackId } = await ownTrack()
    const first = await upload(alice, trackId, 'WAVE')
    await upload(alice, trackId, 'WAVES')
    const { body } = await alice.get(`/v1/tracks/${trackId}/versions`)
    expect(body.currentVersionId).toBe(first.versionId)
    expect(body.versions.map((version: { versionNumber: number }) => version.versionNumber)).toEqual([1, 2])
  })

  it('has artwork looked at before it is shown', async () => {
    const { alice, trackId } = await ownTrack()
    const { assetId, ...rest } = await upload(alice, trackId, 'PNG', {
      folder: 'artwork',
      contentType: 'image/png',
    })
    expect(rest).toMatchObject({ kind: 'artwork', status: 'finalized' })
    expect(rest).not.toHaveProperty('versionId')
    expect(await jobsOf('check-asset', 'assetId', assetId)).toEqual([{ state: 'created' }])
    const { body } = await alice.get(`/v1/tracks/${trackId}/media-assets`)
    expect(body.artwork).toMatchObject([{ id: assetId, status: 'processing', isPrimary: false, url: null }])
  })

  it('wants the bytes there, and takes them later', async () => {
    const { alice, trackId } = await ownTrack()
    const intent = await announce(alice, trackId, 'WAVE')
    const finalize = new URL(intent.finalizeUrl).pathname
    const early = await alice.post(finalize)
    expect([early.status, early.body]).toEqual([409, { error: 'upload_object_missing' }])
    expect((await alice.get(`/v1/tracks/${trackId}/versions`)).body.versions).toEqual([])
    await putBytes(intent, 'WAVE')
    expect((await alice.post(finalize)).status).toBe(200)
  })

  it.each([
    ['upload_size_mismatch', { byte_size: 5 }],
    ['upload_content_type_mismatch', { content_type: 'audio/flac' }],
  ])('answers %s for bytes other than announced, and stays open', async (error, announced) => {
    const { alice, trackId } = await ownTrack()
    const intent = await announce(alice, trackId, 'WAVE')
    await putBytes(intent, 'WAVE')
    await core.sql`update uploads set ${core.sql(announced)} where id = ${intent.uploadId}`
    const { status, body } = await alice.post(new URL(intent.finalizeUrl).pathname)
    expect([status, body]).toEqual([409, { error }])
    const [row] = await core.sql`select status from uploads where id = ${intent.uploadId}`
    expect(row).toEqual({ status: 'pending' })
  })

  it('gives an hour of grace and no more', async () => {
    const { alice, trackId } = await ownTrack()
    const outcomes = []
    for (const late of ['59 minutes', '61 minutes']) {
      const intent = await announce(alice, trackId, 'WAVE')
      await putBytes(intent, 'WAVE')
      await core.sql`update uploads set expires_at = now() - ${late}::interval where id = ${intent.uploadId}`
      const { status, body } = await alice.post(new URL(intent.finalizeUrl).pathname)
      outcomes.push([status, body.error])
    }
    expect(outcomes).toEqual([
      [200, undefined],
      [409, 'upload_expired'],
    ])
  })

  it('knows no upload of another track', async () => {
    const { alice, trackId } = await ownTrack()
    const { uploadId } = await announce(alice, trackId, 'WAVE')
    for (const path of [
      `/v1/tracks/${await makeTrack(alice)}/uploads/${uploadId}`,
      `/v1/tracks/${trackId}/uploads/x`,
    ]) {
      const { status, body } = await alice.post(`${path}/finalize`)
      expect([status, body]).toEqual([404, { error: 'upload_not_found' }])
    }
  })

  it('says of a store that is away nothing but that it failed', async () => {
    const lost = await runStoringCore({ logLevel: 'silent' })
    onTestFinished(lost.close)
    const alice = await lost.signIn()
    const intent = await announce(alice, await makeTrack(alice), 'WAVE')
    await lost.stopStore()
    const { status, body } = await alice.post(new URL(intent.finalizeUrl).pathname)
    expect([status, body]).toEqual([500, { error: 'internal_error' }])
  })
})
