import { describe, expect, it } from 'vitest'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { insertAsset, insertVersion } from '#test/support/track-fixtures.ts'

describe('tracks.media-assets.list', () => {
  const gateway = startTestGateway({ environment: { DOWNLOAD_URL_TTL_S: '120' } })

  const track = async () => {
    const alice = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, alice.accountId)
    return { alice, trackId, path: `/v1/tracks/${trackId}/media-assets` }
  }

  const image = { kind: 'artwork', file_name: 'cover.png', content_type: 'image/png' }
  const document = { kind: 'document', file_name: 'contract.pdf', content_type: 'application/pdf' }

  it('lists artwork and documents with URLs that expire', async () => {
    const { alice, trackId, path } = await track()
    const { sql } = gateway.database
    const artworkId = await insertAsset(sql, trackId, { ...image, width: 800, height: 600, is_primary: true })
    const documentId = await insertAsset(sql, trackId, {
      ...document,
      document_type: 'contract',
      title: 'Deal memo',
    })
    const requestedAt = Date.now()
    const { status, body } = await alice.get(path)
    expect(status).toBe(200)
    const commonFields = {
      url: expect.stringMatching(/^https?:\/\/.*X-Amz-Signature=/),
      urlExpiresAt: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    }
    expect(body).toEqual({
      trackId,
      artwork: [
        {
          id: artworkId,
          kind: 'artwork',
          fileName: 'cover.png',
          contentType: 'image/png',
          byteSize: 1024,
          status: 'ready',
          isPrimary: true,
          width: 800,
          height: 600,
          documentType: null,
          title: null,
          ...commonFields,
        },
      ],
      documents: [
        {
          id: documentId,
          kind: 'document',
          fileName: 'contract.pdf',
          contentType: 'application/pdf',
          byteSize: 1024,
          status: 'ready',
          isPrimary: false,
          width: null,
          height: null,
          documentType: 'contract',
          title: 'Deal memo',
          ...commonFields,
        },
      ],
    })
    const ttlMs = Date.parse(body.artwork[0].urlExpiresAt) - requestedAt
    expect(ttlMs).toBeGreaterThan(110_000)
    expect(ttlMs).toBeLessThan(130_000)
  })

  it('has no URL for a file that is not ready', async () => {
    const { alice, trackId, path } = await track()
    for (const status of ['processing', 'failed'])
      await insertAsset(gateway.database.sql, trackId, { ...image, status })
    const { artwork } = (await alice.get(path)).body
    expect(artwork).toHaveLength(2)
    for (const asset of artwork) expect(asset).toMatchObject({ url: null, urlExpiresAt: null })
  })

  it('lists the newest files first and omits audio', async () => {
    const { alice, trackId, path } = await track()
    const { sql } = gateway.database
    await insertVersion(sql, trackId)
    const older = await insertAsset(sql, trackId, { ...image, created_at: '2025-01-01T00:00:00Z' })
    const newer = await insertAsset(sql, trackId, { ...image, created_at: '2025-01-02T00:00:00Z' })
    const { artwork, documents } = (await alice.get(path)).body
    expect(artwork.map(({ id }: { id: string }) => id)).toEqual([newer, older])
    expect(documents).toEqual([])
  })

  it('returns empty lists for a track without files', async () => {
    const { alice, trackId, path } = await track()
    expect((await alice.get(path)).body).toEqual({ trackId, artwork: [], documents: [] })
  })
})
