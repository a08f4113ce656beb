/** Fields that no response may contain, with values in their stored form. */
export const internalFields = {
  ownerId: 'acct_owner',
  storageUri: 's3://bucket/key',
  storageKey: 'originals/key',
  uploadKey: 'uploads/key',
  tokenHash: 'f'.repeat(64),
  accessCodeHash: 'f'.repeat(64),
  playbackUrl: 'https://store.test/key',
  providerLinkId: 'link_1',
  visitorId: 'visitor',
}
