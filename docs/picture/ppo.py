import torch
import torch.nn.functional as F


def ppo_loss(logits, actions, old_logp, adv, mask):
    adv = (adv - adv.mean()) / adv.std()
    probs = F.softmax(logits, dim=-1)
    logp = torch.log(probs).gather(-1, actions)
    ratio = torch.exp(logp - old_logp)
    tokens = mask.sum()
    return -(ratio * adv * mask).sum() / tokens
