/** In the order in which users need them: create, group, share, see the results. */
export const tagTexts: Readonly<Record<string, string>> = {
  tracks: 'Tracks with their audio, metadata, split sheets and share links.',
  packs: 'Packs of tracks, their links and their invitations.',
  libraries: 'Collections of tracks, and the people who share them.',
  'pack-links': 'What the recipient of a pack link sees, with or without an account.',
  public: 'What the recipient of a share link sees, without an account.',
  analytics: 'How often shared packs and tracks are opened, played and downloaded.',
  'catalog-analysis': "Questions about an account's catalogue, answered with what is missing or wrong in it.",
  billing: "An account's plan and subscription.",
  webhooks: 'Events that providers deliver.',
  'media-intelligence': 'Results that the analysis service delivers.',
  internal: 'Routes for internal use, called with the internal token.',
}
