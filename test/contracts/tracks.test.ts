import { describe, expect, it } from 'vitest'
import { compactIsrc, compactIswc, Isrc, Iswc } from '#contracts/shared/recording-codes.ts'
import { issue as issueDownloadUrl } from '#contracts/tracks.download-url.ts'
import { update } from '#contracts/tracks.metadata.ts'
import { create } from '#contracts/tracks.ts'
import { faultPaths } from './inputs.ts'

describe('an ISRC', () => {
  it.each([
    ['USRC17607839', 'USRC17607839', 'USRC17607839'],
    [' us-rc1-76-07839 ', 'US-RC1-76-07839', 'USRC17607839'],
    ['ISRC GB-AYE-68-00023', 'ISRC GB-AYE-68-00023', 'GBAYE6800023'],
    ['isrc-GBAYE6800023', 'ISRC-GBAYE6800023', 'GBAYE6800023'],
    ['IS-RC1-23-45678', 'IS-RC1-23-45678', 'ISRC12345678'],
  ])('%j is kept as %j and compared as %s', (sent, kept, compact) => {
    expect(Isrc.parse(sent)).toBe(kept)
    expect(compactIsrc(kept)).toBe(compact)
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
  ])('%j is none', (sent) => {
    expect(faultPaths(Isrc, sent)).toHaveLength(1)
  })
})

describe('an ISWC', () => {
  it.each([
    ['T0345246801', 'T0345246801'],
    ['t-034.524.680-1', 'T0345246801'],
    ['T 034 524 680 1', 'T0345246801'],
  ])('%j is compared as %s', (sent, compact) => {
    expect(compactIswc(Iswc.parse(sent))).toBe(compact)
  })

  it.each(['', 'T034524680', 'T03452468011', 'A0345246801', 'T-034.524.680-X'])('%j is none', (sent) => {
    expect(faultPaths(Iswc, sent)).toHaveLength(1)
  })
})

describe('a change of metadata', () => {
  it('clears a code with null, and nothing by leaving it out', () => {
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
  ])('%j is refused at %j', (change, path) => {
    expect(faultPaths(update.body, change)).toEqual([path])
  })
})

describe('a new track', () => {
  it('needs a title and an artist alone', () => {
    expect(create.body.parse({ title: 'Nocturne', artist: 'Ann', ownerId: 'acct_other' })).toEqual({
      title: 'Nocturne',
      artist: 'Ann',
      isrc: null,
      iswc: null,
      releaseDate: null,
    })
    expect(faultPaths(create.body, {})).toEqual(['title', 'artist'])
  })
})

describe('the asset of a download', () => {
  it("is nobody's where its id is malformed", () => {
    expect(issueDownloadUrl.query.parse({ assetId: 'asset_1' })).toEqual({ assetId: 'asset_1' })
    expect(issueDownloadUrl.query.parse({})).toEqual({})
    for (const assetId of ['', '../x', 'a b', '\u0000'])
      expect(issueDownloadUrl.query.parse({ assetId })).toEqual({ assetId: '' })
  })
})
