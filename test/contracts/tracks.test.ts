import { describe, expect, it } from 'vitest'
import { compactIsrc, compactIswc, Isrc, Iswc } from '#contracts/shared/recording-codes.ts'
import { issue as issueDownloadUrl } from '#contracts/tracks.download-url.ts'
import { update } from '#contracts/tracks.metadata.ts'
import { create } from '#contracts/tracks.ts'
import { issuePaths } from './inputs.ts'

describe('Isrc', () => {
  it.each([
    ['USRC17607839', 'USRC17607839', 'USRC17607839'],
    [' us-rc1-76-07839 ', 'US-RC1-76-07839', 'USRC17607839'],
    ['ISRC GB-AYE-68-00023', 'ISRC GB-AYE-68-00023', 'GBAYE6800023'],
    ['isrc-GBAYE6800023', 'ISRC-GBAYE6800023', 'GBAYE6800023'],
    ['IS-RC1-23-45678', 'IS-RC1-23-45678', 'ISRC12345678'],
  ])('stores %j as %j and compares it as %s', (sent, stored, compact) => {
    expect(Isrc.parse(sent)).toBe(stored)
    expect(compactIsrc(stored)).toBe(compact)
  })

  it.each([
    '',
    'USRC1760783',
    'USRC176078390',
    '1SRC17607839',
    'US.RC1.76.07839',
    'USRC1760783X',
    'US\u0000RC17607839',
    `USRC17607839${' -'.repeat(40)}`,
  ])('rejects %j', (sent) => {
    expect(issuePaths(Isrc, sent)).toHaveLength(1)
  })
})

describe('Iswc', () => {
  it.each([
    ['T0345246801', 'T0345246801'],
    ['t-034.524.680-1', 'T0345246801'],
    ['T 034 524 680 1', 'T0345246801'],
  ])('compacts %j to %s', (sent, compact) => {
    expect(compactIswc(Iswc.parse(sent))).toBe(compact)
  })

  it.each(['', 'T034524680', 'T03452468011', 'A0345246801', 'T-034.524.680-X'])('rejects %j', (sent) => {
    expect(issuePaths(Iswc, sent)).toHaveLength(1)
  })
})

describe('tracks.metadata.update', () => {
  it('clears a code with null and leaves absent fields unchanged', () => {
    expect(update.body.parse({ isrc: null, title: ' Nocturne ' })).toEqual({ isrc: null, title: 'Nocturne' })
  })

  it.each([
    [{}, ''],
    [{ titel: 'Nocturne' }, ''],
    [{ title: null }, 'title'],
    [{ artist: '  ' }, 'artist'],
    [{ title: 'x'.repeat(301) }, 'title'],
    [{ isrc: '' }, 'isrc'],
    [{ releaseDate: '2026-02-29' }, 'releaseDate'],
    [{ releaseDate: '' }, 'releaseDate'],
  ])('rejects %j with an issue at %j', (change, path) => {
    expect(issuePaths(update.body, change)).toEqual([path])
  })
})

describe('tracks.create', () => {
  it('requires only a title and an artist', () => {
    expect(create.body.parse({ title: 'Nocturne', artist: 'Ann', ownerId: 'acct_other' })).toEqual({
      title: 'Nocturne',
      artist: 'Ann',
      isrc: null,
      iswc: null,
      releaseDate: null,
    })
    expect(issuePaths(create.body, {})).toEqual(['title', 'artist'])
  })
})

describe('tracks.download-url.issue', () => {
  it('replaces a malformed asset id with an empty one', () => {
    expect(issueDownloadUrl.query.parse({ assetId: 'asset_1' })).toEqual({ assetId: 'asset_1' })
    expect(issueDownloadUrl.query.parse({})).toEqual({})
    for (const assetId of ['', '../x', 'a b', '\u0000'])
      expect(issueDownloadUrl.query.parse({ assetId })).toEqual({ assetId: '' })
  })
})
