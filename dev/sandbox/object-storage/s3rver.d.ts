declare module '@20minutes/s3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http'
  import type { Readable } from 'node:stream'

  interface S3rverObject {
    content: Readable | null
    range?: { start: number; end: number }
  }

  interface FilesystemStore {
    getMetadata(bucket: string, key: string): Promise<{ 'content-length': number }>
    getObject(
      bucket: string,
      key: string,
      options?: { start?: number; end?: number },
    ): Promise<S3rverObject | null>
    getResourcePath(bucket: string, key: string, resource: string): string
  }

  interface S3rverOptions {
    directory: string
    silent: boolean
    vhostBuckets: boolean
    configureBuckets: { name: string; configs: string[] }[]
  }

  class S3rver {
    constructor(options: S3rverOptions)
    readonly store: FilesystemStore
    configureBuckets(): Promise<unknown>
    callback(): (request: IncomingMessage, response: ServerResponse) => void
  }
  export = S3rver
}

declare module '@20minutes/s3rver/lib/models/account.js' {
  class AWSAccount {
    constructor(id: number, displayName: string)
    createKeyPair(accessKeyId: string, secretAccessKey: string): void
    revokeAccessKey(accessKeyId: string): void
  }
  export = AWSAccount
}

declare module '@20minutes/s3rver/lib/signature/v4.js' {
  interface CanonicalRequest {
    querystring: string
  }
  const v4: { getStringToSign(request: CanonicalRequest, signature: unknown): string }
  export = v4
}
