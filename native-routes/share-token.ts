import { hashToken } from '#db/token-hash.ts'

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** A new token of 256 random bits, to be shown once, with what is kept of it. */
export const issueToken = () => {
  const token = base64url(crypto.getRandomValues(new Uint8Array(32)))
  return { token, kept: { tokenHash: hashToken(token), tokenPreview: token.slice(-4) } }
}
