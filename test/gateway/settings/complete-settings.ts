export const completeSettings = {
  DATABASE_URL: 'postgres://u:secret-password@db.test/app',
  CORE_BASE_URL: 'https://core.test',
  PUBLIC_BASE_URL: 'https://api.test',
  AUTH_ISSUER: 'https://issuer.test',
  AUTH_AUDIENCE: 'app',
  AUTH_JWKS_URL: 'https://issuer.test/jwks.json',
  GATEWAY_SECRET: 'sixteen-characters',
  STORAGE_ENDPOINT: 'https://storage.test',
  STORAGE_REGION: 'eu',
  STORAGE_BUCKET: 'media',
  STORAGE_ACCESS_KEY_ID: 'storage-key-id',
  STORAGE_SECRET_ACCESS_KEY: 'storage-secret-key',
}
