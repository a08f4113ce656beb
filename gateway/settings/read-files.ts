import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { givenPaths, type Variables } from './read-environment.ts'

/**
 * Replaces the path in `BILLING_PLANS` with the file's contents, unless the value starts like JSON. An unreadable path
 * stays, and settings validation reports it along with everything else, showing only the path.
 */
export const readPlansFile = async <E extends Variables>(environment: E): Promise<E & Variables> => {
  const plans = environment.BILLING_PLANS
  if (!plans || /^\s*[[{]/.test(plans)) return environment
  try {
    const contents = await readFile(plans, 'utf8')
    return { ...environment, BILLING_PLANS: contents, [givenPaths]: { BILLING_PLANS: plans } }
  } catch {
    return environment
  }
}

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

// Drops comments between certificates.
const selectCertificates = (text: string) => {
  const certificates = text.match(certificatePattern) ?? []
  for (const certificate of certificates) new X509Certificate(certificate)
  return certificates.join('\n')
}

// Throws if the key has a passphrase.
const selectKey = (text: string) => {
  createPrivateKey(text)
  return text.trim()
}

const pemFiles = {
  DATABASE_CA: selectCertificates,
  REDIS_CA: selectCertificates,
  CORE_CA: selectCertificates,
  CORE_CLIENT_CERT: selectCertificates,
  CORE_CLIENT_KEY: selectKey,
}

const readPemFile = async (path: string, select: (text: string) => string) => {
  try {
    return select(await readFile(path, 'utf8')) || path
  } catch {
    return path
  }
}

const matches = (certificate: string, key: string) => {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

/**
 * Replaces each TLS setting with the certificates or key in the file it names. A path stays if its file is unreadable
 * or invalid, or the key does not fit the certificate; settings validation then reports it along with everything else.
 */
export const readCaFile = async (environment: Variables): Promise<Variables> => {
  const read: Record<string, string | undefined> = { ...environment }
  for (const [name, select] of Object.entries(pemFiles)) {
    const path = environment[name]
    if (path) read[name] = await readPemFile(path, select)
  }
  const { CORE_CLIENT_CERT: certificate, CORE_CLIENT_KEY: key } = read
  if (certificate && key && !matches(certificate, key)) read.CORE_CLIENT_KEY = environment.CORE_CLIENT_KEY
  return read
}
