import { describe, expect, it } from 'vitest'
import { audioContentTypes, documentContentTypes, imageContentTypes } from '#contracts/shared/uploads.ts'
import { createObjectStorage } from '#dev/sandbox/core/object-storage.ts'
import { readCoreSettings } from '#dev/sandbox/core/settings.ts'
import { sampleCases } from '#test/support/count-cases.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs, waitForProcessing } from '#test/support/jobs.ts'
import { readMediaFile } from '#test/support/media/audio-files.ts'
import { insertPackLink } from '#test/support/share-fixtures.ts'
import { insertAsset, insertVersion } from '#test/support/track-fixtures.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'

// Types that no upload may have, but that another application may have stored.
const foreignTypes = ['image/svg+xml', 'text/html', 'application/xhtml+xml', 'application/octet-stream']
const documents = [...documentContentTypes, ...foreignTypes]
const displayed: ReadonlySet<string> = new Set([
  ...audioContentTypes,
  ...imageContentTypes,
  'application/pdf',
])

describe("a stored file's URL", () => {
  const gateway = startTestGateway({ storage: true })
  startTestJobs(gateway)

  /** Stores a file that the object store would serve as an HTML page if its URL named no other type. */
  const storePage = async () => {
    const storageKey = `tests/${crypto.randomUUID()}`
    const bytes = new TextEncoder().encode('<script>alert(1)</script>')
    const { url, requiredHeaders } = await gateway.storage.port.presignPut(storageKey, {
      contentType: 'text/html',
      byteSize: bytes.length,
      expiresInS: 60,
    })
    expect((await fetch(url, { method: 'PUT', headers: requiredHeaders, body: bytes })).status).toBe(200)
    return storageKey
  }
  const open = async (url: string) => {
    const { status, headers } = await fetch(url)
    expect(status).toBe(200)
    return { type: headers.get('content-type'), disposition: headers.get('content-disposition') }
  }
  const start = async () => {
    const account = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    return { account, trackId, path: `/v1/tracks/${trackId}` }
  }

  it('opens a document as its detected type, and displays it only if it is an image or a PDF', async () => {
    const { account, trackId, path } = await start()
    const insert = async (contentType: string) =>
      insertAsset(gateway.database.sql, trackId, {
        kind: 'document',
        file_name: 'file.bin',
        content_type: contentType,
        storage_key: await storePage(),
      })
    await Promise.all(documents.map(insert))
    const attachment = 'attachment; filename="file.bin"'
    const listed: { id: string; contentType: string; url: string }[] = (
      await account.get(`${path}/media-assets`)
    ).body.documents
    expect(new Set(listed.map(({ contentType }) => contentType))).toEqual(new Set(documents))
    for (const { id, contentType, url } of listed) {
      const disposition = displayed.has(contentType) ? null : attachment
      expect(await open(url)).toEqual({ type: contentType, disposition })
      const download = (await account.get(`${path}/download-url?assetId=${id}`)).body
      expect(await open(download.url)).toEqual({ type: contentType, disposition: attachment })
    }
  })

  it.each(sampleCases(audioContentTypes, 0.3))(
    'plays audio as %s, for its owner and on share pages',
    async (contentType) => {
      const { account, trackId, path } = await start()
      const { sql } = gateway.database
      const { assetId } = await insertVersion(sql, trackId)
      await sql`update media_assets set content_type = ${contentType}, storage_key = ${await storePage()}
      where id = ${assetId}`
      const { token } = (await account.post(`${path}/share-links`, {})).body
      for (const page of [`${path}/playback-url`, `/v1/public/track-links/${token}/playback-url`]) {
        const { body } = await account.get(page)
        expect(await open(body.url)).toEqual({ type: contentType, disposition: null })
      }
      const download = (await account.get(`${path}/download-url`)).body
      const disposition = 'attachment; filename="night-drive.wav"'
      expect(await open(download.url)).toEqual({ type: contentType, disposition })
    },
  )

  it.each([...imageContentTypes, 'image/svg+xml'])(
    'shows artwork as %s, on share pages too',
    async (contentType) => {
      const { account, trackId, path } = await start()
      const { sql } = gateway.database
      await insertAsset(sql, trackId, {
        kind: 'artwork',
        is_primary: true,
        file_name: 'cover',
        content_type: contentType,
        storage_key: await storePage(),
      })
      const packId = crypto.randomUUID()
      await sql`insert into packs (id, owner_id, name) values (${packId}, ${account.accountId}, 'EP')`
      await sql`insert into pack_tracks (pack_id, track_id, position) values (${packId}, ${trackId}, 0)`
      const { slug } = await insertPackLink(sql, packId)
      const { token } = (await account.post(`${path}/share-links`, {})).body
      const urls = [
        (await account.get(`${path}/media-assets`)).body.artwork[0].url,
        (await account.get(`/v1/public/track-links/${token}`)).body.track.artworkUrl,
        (await account.get(`/v1/public/pack-links/${slug}`)).body.tracks[0].artworkUrl,
      ]
      const disposition = displayed.has(contentType) ? null : expect.stringMatching(/^attachment; /)
      for (const url of urls) expect(await open(url)).toEqual({ type: contentType, disposition })
    },
  )

  const declarations = [
    ['sine.ogg', 'audio/flac', 'audio/ogg'],
    ['sine.m4a', 'audio/aac', 'audio/mp4'],
    ['sine.flac', 'audio/x-flac', 'audio/x-flac'],
    ['sine.opus', 'audio/opus', 'audio/opus'],
    ['sine.m4a', 'audio/m4a', 'audio/mp4'],
    ['sine.m4a', 'audio/x-m4b', 'audio/mp4'],
    ['sine.m4a', 'video/mp4', 'audio/mp4'],
    ['sine.webm', 'video/webm', 'audio/webm'],
    ['sine.aiff', 'audio/x-aifc', 'audio/aiff'],
  ] as const
  it.each(sampleCases(declarations, 0.5))(
    'opens %s (declared as %s) as %s',
    async (name, declared, checked) => {
      const { account, trackId, path } = await start()
      const bytes = await readMediaFile(name)
      await uploadFile(account, trackId, createFile({ bytes, fileName: name, contentType: declared }))
      await waitForProcessing(account, trackId)
      const { body } = await account.get(`${path}/playback-url`)
      expect(body.contentType).toBe(checked)
      expect((await open(body.url)).type).toBe(checked)
      expect((await account.get(`${path}/versions`)).body.versions).toMatchObject([{ contentType: checked }])
    },
  )

  it.each([
    ['text/rtf', '{\\rtf1 Deal}', 'application/rtf'],
    ['application/vnd.ms-excel', 'title;isrc\r\n', 'text/csv'],
  ])('opens a document declared as %s as its actual type', async (declared, text, checked) => {
    const { account, trackId, path } = await start()
    const file = createFile({
      bytes: new TextEncoder().encode(text),
      fileName: 'file',
      contentType: declared,
    })
    await uploadFile(account, trackId, file, 'documents')
    const list = async () => (await account.get(`${path}/media-assets`)).body.documents
    await expect.poll(list, { timeout: 10_000 }).toMatchObject([{ status: 'ready', contentType: checked }])
    const [{ url }] = await list()
    expect((await open(url)).type).toBe(checked)
  })

  it('does not exist for an HTML page that was declared as a different type', async () => {
    const { account, trackId, path } = await start()
    const bytes = new TextEncoder().encode('<!doctype html><script>alert(1)</script>')
    for (const contentType of ['image/png', 'application/pdf']) {
      const file = createFile({ bytes, fileName: 'page', contentType })
      await uploadFile(account, trackId, file, 'documents')
    }
    const list = async () => (await account.get(`${path}/media-assets`)).body.documents
    await expect
      .poll(async () => (await list()).map(({ status }: { status: string }) => status), { timeout: 10_000 })
      .toEqual(['failed', 'failed'])
    for (const { url } of await list()) expect(url).toBeNull()
  })

  it('has the same type and disposition if the core signs it', async () => {
    const core = createObjectStorage(readCoreSettings(gateway.environment).storage)
    const key = await storePage()
    for (const contentType of new Set([...documents, ...audioContentTypes])) {
      const opened = await open(await core.signReading(key, { fileName: 'file.bin', contentType }, 60))
      const disposition = displayed.has(contentType) ? null : expect.stringMatching(/^attachment; /)
      expect(opened).toEqual({ type: contentType, disposition })
    }
  })
})
