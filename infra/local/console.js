// Fills gaps in Scalar, which renders the page.

const failure = document.querySelector('#failure');

document.querySelector('#skip-link').addEventListener('click', () => {
  document.querySelector('.show-api-client-button').focus();
});

new MutationObserver(() => {
  // Scalar removes its error message after a few seconds, so keep a copy.
  const messages = '[data-type="error"] [data-title]:not([data-copied])';
  for (const message of document.querySelectorAll(messages)) {
    message.dataset.copied = '';
    failure.querySelector('span').textContent = message.textContent;
    failure.showPopover();
  }
  // These buttons have only an icon, and no accessible name.
  for (const button of document.querySelectorAll('button[class*="copy-button"]')) {
    button.ariaLabel = 'Copy the code';
  }
}).observe(document.body, { childList: true, subtree: true });

// "Send" hides the message. Scalar has no event for "Send", so any request from the page does.
const sendRequest = window.fetch;
window.fetch = (...request) => {
  failure.hidePopover();
  return sendRequest(...request);
};

// Tab cannot reach the message's Close button, because Scalar keeps the focus in the console. Escape closes it too.
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') failure.hidePopover();
});
