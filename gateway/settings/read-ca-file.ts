import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

// Comments between the certificates are dropped.
const selectCertificates = (text: string) => {
  const certificates = text.match(certificatePattern) ?? []
  for (const certificate of certificates) new X509Certificate(certificate)
  return certificates.join('\n')
}

/**
 * Replaces `DATABASE_CA` with the certificates in the file that it names. A path that is not readable, or whose file has
 * an invalid certificate or none, is left: the validation of the settings reports it with all other errors.
 */
export const readCaFile = async (environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> => {
  const path = environment.DATABASE_CA
  if (!path) return environment
  try {
    const DATABASE_CA = selectCertificates(await readFile(path, 'utf8'))
    return DATABASE_CA === '' ? environment : { ...environment, DATABASE_CA }
  } catch {
    return environment
  }
}
