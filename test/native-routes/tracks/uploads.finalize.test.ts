import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import {
  createFile,
  createIntent,
  finalizeUpload,
  putBytes,
  putFile,
  uploadFile,
} from '#test/support/uploads.ts'

const png = createFile({ fileName: 'cover.png', contentType: 'image/png' })
const pdf = createFile({ fileName: 'deal.pdf', contentType: 'application/pdf' })

describe('tracks.uploads.finalize', () => {
  const gateway = startTestGateway({ storage: true })
  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }
  const versionsOf = async ({ account, trackId }: Awaited<ReturnType<typeof signUp>>) =>
    (await account.get(`/v1/tracks/${trackId}/versions`)).body

  it('makes the first version the original and the current one', async () => {
    const { account, trackId } = await signUp()
    const intent = await putFile(account, trackId)
    const { status, body } = await finalizeUpload(account, intent)
    expect(status).toBe(200)
    expect(body).toEqual({
      uploadId: intent.uploadId,
      trackId,
      assetId: intent.assetId,
      status: 'finalized',
      kind: 'version',
      versionId: expect.any(String),
    })
    expect(await versionsOf({ account, trackId })).toMatchObject({
      currentVersionId: body.versionId,
      versions: [
        {
          id: body.versionId,
          versionNumber: 1,
          isOriginal: true,
          isCurrent: true,
          status: 'processing',
          fileName: 'night-drive.wav',
          contentType: 'audio/wav',
          byteSize: createFile().bytes.length,
          assetId: intent.assetId,
        },
      ],
    })
    const processing = await account.get(`/v1/tracks/${trackId}/processing-status`)
    expect(processing.body).toMatchObject({
      ingestionRun: { trigger: 'upload', status: 'queued' },
      assets: [{ id: intent.assetId, kind: 'original', status: 'processing', versionId: body.versionId }],
      readiness: { playback: { status: 'processing', ready: false }, stems: { status: 'processing' } },
    })
    expect(processing.body.stages).toHaveLength(6)
  })

  it('keeps the current version when another version is uploaded', async () => {
    const { account, trackId } = await signUp()
    const first = await uploadFile(account, trackId)
    const second = await uploadFile(account, trackId)
    expect(await versionsOf({ account, trackId })).toMatchObject({
      currentVersionId: first.versionId,
      versions: [
        { id: first.versionId, isOriginal: true, isCurrent: true },
        { id: second.versionId, versionNumber: 2, isOriginal: false, isCurrent: false },
      ],
    })
  })

  it.each([
    ['artwork', png],
    ['documents', pdf],
  ] as const)("adds %s to the track's assets", async (kind, file) => {
    const { account, trackId } = await signUp()
    const body = await uploadFile(account, trackId, file, kind)
    expect(body).toEqual({
      uploadId: expect.any(String),
      trackId,
      assetId: expect.any(String),
      status: 'finalized',
      kind: kind === 'artwork' ? 'artwork' : 'document',
    })
    const assets = (await account.get(`/v1/tracks/${trackId}/media-assets`)).body
    expect(assets[kind]).toMatchObject([
      { id: body.assetId, fileName: file.fileName, status: 'processing', isPrimary: false, url: null },
    ])
  })

  it('returns the same body to repeated and concurrent requests, and queues one job', async () => {
    const owner = await signUp()
    const intent = await putFile(owner.account, owner.trackId)
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => finalizeUpload(owner.account, intent)),
    )
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect((await finalizeUpload(owner.account, intent)).body).toEqual(responses[0]?.body)
    expect((await versionsOf(owner)).versions).toHaveLength(1)
    const [jobs] = await gateway.database.sql`
      select count(*)::int from pgboss.job where data->>'runId' in
        (select id from ingestion_runs where track_id = ${owner.trackId})`
    expect(jobs?.count).toBe(1)
  })

  it('assigns different numbers to versions that are finalized concurrently', async () => {
    const owner = await signUp()
    const intents = await Promise.all([1, 2, 3, 4].map(() => putFile(owner.account, owner.trackId)))
    await Promise.all(intents.map((intent) => finalizeUpload(owner.account, intent)))
    const { versions } = await versionsOf(owner)
    expect(versions.map((version: { versionNumber: number }) => version.versionNumber)).toEqual([1, 2, 3, 4])
    expect(versions.filter((version: { isCurrent: boolean }) => version.isCurrent)).toHaveLength(1)
  })

  it('does not copy the object during the request', async () => {
    const { account, trackId } = await signUp()
    const intent = await putFile(account, trackId)
    await finalizeUpload(account, intent)
    const [asset] = await gateway.database.sql`
      select storage_key from media_assets where id = ${intent.assetId}`
    expect(asset?.storage_key).toBe(`uploads/${intent.uploadId}`)
    const removals = await gateway.database.sql`
      select from object_removals where storage_key like ${`%${intent.uploadId}`}`
    expect(removals).toHaveLength(0)
  })

  it('issues no playback or download URL before the file is checked', async () => {
    const { account, trackId } = await signUp()
    const { assetId } = await uploadFile(account, trackId)
    for (const path of ['playback-url', 'download-url', `download-url?assetId=${assetId}`])
      expect((await account.get(`/v1/tracks/${trackId}/${path}`)).status).toBe(404)
  })

  it('returns 409 while the object is missing, and 200 once it has been uploaded', async () => {
    const { account, trackId } = await signUp()
    const file = createFile()
    const intent = await createIntent(account, trackId, file)
    const response = await finalizeUpload(account, intent)
    expect(response.status).toBe(409)
    expect(response.body).toEqual(errorBody('upload_object_missing'))
    await putBytes(intent, file.bytes)
    expect((await finalizeUpload(account, intent)).status).toBe(200)
  })

  it.each([
    ['upload_size_mismatch', 'audio/wav', 5],
    ['upload_content_type_mismatch', 'audio/flac', createFile().bytes.length],
  ] as const)(
    'returns 409 %s for an object that differs from its declaration',
    async (error, contentType, byteSize) => {
      const { account, trackId } = await signUp()
      const file = createFile()
      const intent = await createIntent(account, trackId, file)
      const other = await gateway.storage.port.presignPut(`uploads/${intent.uploadId}`, {
        contentType,
        byteSize,
        expiresInS: 60,
      })
      await putBytes(
        { signedUrl: other.url, method: 'PUT', requiredHeaders: { ...other.requiredHeaders } },
        file.bytes.subarray(0, byteSize),
      )
      const response = await finalizeUpload(account, intent)
      expect(response.status).toBe(409)
      expect(response.body).toEqual(errorBody(error))
      await putBytes(intent, file.bytes)
      expect((await finalizeUpload(account, intent)).status).toBe(200)
    },
  )

  it('accepts an upload up to one hour after it expires', async () => {
    const { account, trackId } = await signUp()
    const [late, tooLate] = [await putFile(account, trackId), await putFile(account, trackId)]
    const expire = (intent: { uploadId: string }, ago: string) => gateway.database.sql`
      update uploads set expires_at = now() - ${ago}::interval where id = ${intent.uploadId}`
    await expire(late, '59 minutes')
    await expire(tooLate, '61 minutes')
    expect((await finalizeUpload(account, late)).status).toBe(200)
    const response = await finalizeUpload(account, tooLate)
    expect(response.status).toBe(409)
    expect(response.body).toEqual(errorBody('upload_expired'))
  })

  it("returns 404 for an unknown upload and for another track's upload", async () => {
    const { account, trackId } = await signUp()
    const other = await insertTrackOf(gateway.database.sql, account.accountId)
    const intent = await putFile(account, other)
    for (const uploadId of [intent.uploadId, 'unknown', 'no%20id']) {
      const response = await account.post(`/v1/tracks/${trackId}/uploads/${uploadId}/finalize`)
      expect(response.status).toBe(404)
      expect(response.body).toEqual(errorBody('upload_not_found'))
    }
  })
})

describe('tracks.uploads.finalize with an unreachable object store', () => {
  const gateway = startTestGateway()

  it('returns 503 and leaves the upload pending', async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const intent = await createIntent(account, trackId, createFile())
    const response = await finalizeUpload(account, intent)
    expect(response.status).toBe(503)
    expect(response.body).toEqual(errorBody('storage_unavailable'))
    const [row] = await gateway.database.sql`select status from uploads where id = ${intent.uploadId}`
    expect(row?.status).toBe('pending')
  })
})
