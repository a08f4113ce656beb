import { hashToken } from '#db/hashes.ts'

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Creates a token of 256 random bits, which is shown once, and the fields stored in its place. */
export const issueToken = () => {
  const token = base64url(crypto.getRandomValues(new Uint8Array(32)))
  return { token, stored: { tokenHash: hashToken(token), tokenPreview: token.slice(-4) } }
}
