import { recordedResponse } from '../responses.ts'
import {
  append,
  createResponsePairs,
  id,
  identicalRepeat,
  removeElement,
  removeField,
  reverse,
  setField,
  timestampAt,
  url,
} from './pairs.ts'

const stem = (number: number, kind: string) => ({
  id: id(number),
  kind,
  label: kind,
  assetId: id(number + 100),
  contentType: 'audio/wav',
  byteSize: 1000 + number,
  durationMs: 1000,
  source: 'ai',
  createdAt: timestampAt(number),
})

const version = (number: number) => ({
  id: id(number),
  versionNumber: number,
  label: null,
  isOriginal: number === 1,
  isCurrent: number === 2,
  status: 'ready',
  fileName: `mix-${number}.wav`,
  contentType: 'audio/wav',
  byteSize: 1000,
  durationMs: 1000,
  sampleRate: 44_100,
  channels: 2,
  assetId: id(number + 100),
  createdAt: timestampAt(number),
})

const artwork = {
  id: id(1),
  kind: 'artwork',
  fileName: 'cover.png',
  contentType: 'image/png',
  byteSize: 1000,
  status: 'ready',
  isPrimary: true,
  width: 600,
  height: 600,
  documentType: null,
  title: null,
  url: url('originals/cover.png', 'aaaa'),
  urlExpiresAt: timestampAt(9),
  createdAt: timestampAt(1),
  updatedAt: timestampAt(1),
}

export const trackMediaPairs = [
  ...createResponsePairs(
    'tracks.stems.list',
    recordedResponse(200, { trackId: id(9), status: 'ready', stems: [stem(1, 'drums'), stem(2, 'bass')] }),
    [
      ['has stems in a different order', { native: reverse('stems') }, 'order body.stems regression unknown'],
      ['lacks a stem', { native: removeElement('stems', 0) }, 'length body.stems regression unknown'],
      [
        'has an additional stem',
        { native: append('stems', stem(3, 'vocals')) },
        'length body.stems regression unknown',
      ],
      [
        'has a different stem',
        { native: [removeElement('stems', 0), append('stems', stem(3, 'vocals'))] },
        'value body.stems.*.assetId regression unknown',
        'value body.stems.*.byteSize regression unknown',
        'value body.stems.*.id regression unknown',
        'value body.stems.*.kind regression unknown',
        'value body.stems.*.label regression unknown',
      ],
      [
        'has a different size and order',
        { native: [setField('stems.0.byteSize', 5), reverse('stems')] },
        'value body.stems.*.assetId regression unknown',
        'value body.stems.*.byteSize regression unknown',
        'value body.stems.*.id regression unknown',
        'value body.stems.*.kind regression unknown',
        'value body.stems.*.label regression unknown',
      ],
      [
        'has different but consistent generated ids',
        { native: [setField('stems.0.id', id(71)), setField('stems.1.id', id(72))] },
      ],
      ['lacks an id', { native: removeField('stems.0.id') }, 'missing body.stems.*.id regression native'],
      [
        'has a duplicate stem',
        { native: append('stems', stem(1, 'drums')) },
        'length body.stems regression unknown',
      ],
      [
        'leaks the owner of a stem',
        { native: setField('stems.1.ownerId', 'acct_owner') },
        'extra body.stems.*.? critical native',
      ],
      [
        'leaks the owner of an additional stem',
        { native: append('stems', { ...stem(3, 'vocals'), ownerId: 'acct_owner' }) },
        'length body.stems regression unknown',
        'schema body.stems.*.? critical native',
      ],
    ],
  ),
  ...createResponsePairs(
    'tracks.versions.list',
    recordedResponse(200, { trackId: id(9), currentVersionId: id(2), versions: [version(1), version(2)] }),
    [
      ['is equal', {}],
      [
        'has a different current version',
        { native: setField('currentVersionId', id(1)) },
        'value body.currentVersionId regression unknown',
      ],
      [
        'has a different current version although the core is deterministic',
        { native: setField('currentVersionId', id(1)), noise: identicalRepeat },
        'value body.currentVersionId regression native',
      ],
      ['is in a different order', { native: reverse('versions') }, 'order body.versions regression unknown'],
      [
        'has no current version',
        { native: setField('currentVersionId', null) },
        'type body.currentVersionId regression unknown',
      ],
      [
        'lacks a version',
        { native: removeElement('versions', 0) },
        'length body.versions regression unknown',
      ],
      [
        'has different but consistent generated ids',
        {
          native: [
            setField('currentVersionId', id(72)),
            setField('versions.0.id', id(71)),
            setField('versions.1.id', id(72)),
          ],
        },
      ],
      [
        'has inconsistent generated ids',
        {
          native: [
            setField('currentVersionId', id(71)),
            setField('versions.0.id', id(71)),
            setField('versions.1.id', id(72)),
          ],
        },
        'value body.versions.*.id regression unknown',
      ],
      [
        'leaks the storage location of a version',
        { native: setField('versions.0.storageUri', 's3://bucket/key') },
        'extra body.versions.*.? critical native',
      ],
    ],
  ),
  ...createResponsePairs(
    'tracks.media-assets.list',
    recordedResponse(200, { trackId: id(9), artwork: [artwork], documents: [] }),
    [
      [
        'has an artwork URL with a new signature and expiry',
        {
          native: [
            setField('artwork.0.url', url('originals/cover.png', 'bbbb')),
            setField('artwork.0.urlExpiresAt', timestampAt(20)),
          ],
        },
      ],
      [
        'has an artwork URL of a different object',
        {
          native: setField('artwork.0.url', url('originals/7f3a9c.png', 'bbbb')),
          core: setField('artwork.0.url', url('originals/81ee00.png', 'aaaa')),
        },
      ],
      [
        'has an artwork URL of an object with a different file extension',
        { native: setField('artwork.0.url', url('originals/cover1.gif', 'bbbb')) },
        'format body.artwork.*.url regression unknown',
      ],
      [
        'has an artwork URL of the root of the object store',
        { native: setField('artwork.0.url', 'https://store.example.com/?X-Amz-Expires=1&X-Amz-Signature=1') },
        'format body.artwork.*.url regression unknown',
      ],
      [
        'has an artwork URL without a signature',
        { native: setField('artwork.0.url', 'https://store.example.com/bucket/originals/cover.png') },
        'format body.artwork.*.url regression unknown',
      ],
      [
        'has an artwork URL without TLS',
        { native: setField('artwork.0.url', url('originals/cover.png', 'b').replace('https', 'http')) },
        'format body.artwork.*.url regression unknown',
      ],
      [
        'has an artwork URL on a loopback address',
        {
          native: setField(
            'artwork.0.url',
            url('originals/cover.png', 'b').replace('store.example.com', '127.0.0.1:9000'),
          ),
        },
        'format body.artwork.*.url regression unknown',
      ],
      [
        'has an artwork URL on a different host name',
        {
          native: setField(
            'artwork.0.url',
            url('originals/cover.png', 'b').replace('store.example.com', 'eu.store.example.net'),
          ),
        },
      ],
      [
        'leaks the storage location of the artwork',
        { native: setField('artwork.0.url', 's3://bucket/originals/cover.png') },
        'format body.artwork.*.url critical native',
      ],
      [
        'has no artwork URL',
        { native: setField('artwork.0.url', null) },
        'type body.artwork.*.url regression unknown',
      ],
      [
        'has artwork among the documents',
        { native: [setField('documents', [artwork]), setField('artwork', [])] },
        'length body.artwork regression unknown',
        'length body.documents regression unknown',
      ],
    ],
  ),
]
