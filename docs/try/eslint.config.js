import js from '@eslint/js';
import globals from 'globals';

export default [
  { ignores: ['dist/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['src/**/*.js'],
    languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals: globals.browser },
  },
  { files: ['*.mjs', '*.js'], languageOptions: { globals: globals.node } },
  {
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-len': ['error', { code: 110, ignoreStrings: true, ignoreTemplateLiterals: true }],
      'max-lines': ['error', 400],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Text of files must stay text.' },
        { property: 'outerHTML', message: 'Text of files must stay text.' },
        { property: 'insertAdjacentHTML', message: 'Text of files must stay text.' },
      ],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
];
