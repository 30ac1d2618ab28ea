export const credentials = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLEBENCH',
  AWS_SECRET_ACCESS_KEY: 'example-secret-of-the-benchmark',
  AWS_SESSION_TOKEN: 'example-session-token-of-the-benchmark',
} as const;
