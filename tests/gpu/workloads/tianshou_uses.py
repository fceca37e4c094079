"""Algorithms, trainers, collectors, buffers, networks, environments and the high-level interface of tianshou."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from pettingzoo.utils.env import AECEnv
from tianshou import algorithm as algorithms
from tianshou.algorithm.algorithm_base import Algorithm
from tianshou.algorithm.imitation.bcq import BCQPolicy
from tianshou.algorithm.imitation.discrete_bcq import DiscreteBCQPolicy
from tianshou.algorithm.imitation.imitation_base import (
    ImitationPolicy,
    OfflineImitationLearning,
    OffPolicyImitationLearning,
)
from tianshou.algorithm.modelbased.icm import ICMOffPolicyWrapper, ICMOnPolicyWrapper
from tianshou.algorithm.modelbased.psrl import PSRLPolicy
from tianshou.algorithm.modelfree.bdqn import BDQN, BDQNPolicy
from tianshou.algorithm.modelfree.c51 import C51Policy
from tianshou.algorithm.modelfree.ddpg import ContinuousDeterministicPolicy
from tianshou.algorithm.modelfree.discrete_sac import DiscreteSACPolicy
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.fqf import FQFPolicy
from tianshou.algorithm.modelfree.iqn import IQNPolicy
from tianshou.algorithm.modelfree.qrdqn import QRDQNPolicy
from tianshou.algorithm.modelfree.redq import REDQPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy, ProbabilisticActorPolicy
from tianshou.algorithm.modelfree.sac import AutoAlpha, SACPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import (
    AdamOptimizerFactory,
    LRSchedulerFactoryLinear,
    RMSpropOptimizerFactory,
    TorchOptimizerFactory,
)
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import (
    Batch,
    CachedReplayBuffer,
    Collector,
    HERReplayBuffer,
    PrioritizedReplayBuffer,
    PrioritizedVectorReplayBuffer,
    ReplayBuffer,
    VectorReplayBuffer,
    to_numpy,
    to_torch,
    to_torch_as,
)
from tianshou.data.collector import EpisodeRolloutHookMCReturn, StepHookAddActionDistribution
from tianshou.env import ContinuousToDiscrete, DummyVectorEnv, PettingZooEnv, VectorEnvNormObs
from tianshou.env.atari import atari_network
from tianshou.exploration import GaussianNoise, OUNoise
from tianshou.highlevel import algorithm as factories
from tianshou.highlevel.config import OffPolicyTrainingConfig, OnPolicyTrainingConfig
from tianshou.highlevel.env import EnvFactoryRegistered, VectorEnvType
from tianshou.highlevel.logger import LoggerFactoryDefault
from tianshou.highlevel.module.actor import (
    ActorFactoryDefault,
    ContinuousActorType,
    IntermediateModuleFactoryFromActorFactory,
)
from tianshou.highlevel.module.critic import CriticEnsembleFactoryDefault, CriticFactoryDefault
from tianshou.highlevel.module.special import ImplicitQuantileNetworkFactory
from tianshou.highlevel.params import algorithm_params as parameters
from tianshou.highlevel.params.alpha import AutoAlphaFactoryDefault
from tianshou.highlevel.params.noise import MaxActionScaledGaussian
from tianshou.highlevel.params.optim import OptimizerFactoryFactoryAdam
from tianshou.highlevel.persistence import PolicyPersistence
from tianshou.highlevel.trainer import (
    EpochStopCallbackRewardThreshold,
    EpochTestCallbackDQNSetEps,
    EpochTrainCallbackDQNEpsLinearDecay,
    TrainerCallbacks,
)
from tianshou.highlevel.world import World
from tianshou.trainer import OfflineTrainerParams, OffPolicyTrainerParams, OnPolicyTrainerParams
from tianshou.utils import MovAvg, RunningMeanStd, TensorboardLogger
from tianshou.utils.net.common import MLP, ActorCritic, BranchingNet, EnsembleLinear, Net, Recurrent
from tianshou.utils.net.continuous import (
    VAE,
    ContinuousActorDeterministic,
    ContinuousActorProbabilistic,
    ContinuousCritic,
    Perturbation,
    RecurrentActorProb,
    RecurrentCritic,
)
from tianshou.utils.net.discrete import (
    DiscreteActor,
    DiscreteCritic,
    FractionProposalNetwork,
    FullQuantileFunction,
    ImplicitQuantileNetwork,
    IntrinsicCuriosityModule,
    NoisyLinear,
    dist_fn_categorical_from_logits,
)
from tianshou.utils.space_info import SpaceInfo
from tianshou.utils.torch_utils import policy_within_training_step
from torch import nn
from torch.distributions import Distribution, Independent, Normal
from torch.utils.tensorboard import SummaryWriter
from uses import Use, Uses

HIDDEN = [32, 32]
Maker = Callable[[torch.device], Any]
uses = Uses()


def cartpole() -> gym.Env:
    return gym.make("CartPole-v1", max_episode_steps=20)


def pendulum() -> gym.Env:
    return gym.make("Pendulum-v1", max_episode_steps=12)


def several(make: Callable[[], gym.Env], count: int = 2) -> DummyVectorEnv:
    made = DummyVectorEnv([make for _ in range(count)])
    made.seed(0)
    return made


CARTPOLE, PENDULUM = SpaceInfo.from_env(cartpole()), SpaceInfo.from_env(pendulum())
STATES, ACTIONS = CARTPOLE.observation_info.obs_shape, CARTPOLE.action_info.action_shape
STATE, ACTION = PENDULUM.observation_info.obs_shape, PENDULUM.action_info.action_shape
LARGEST = PENDULUM.action_info.max_action
DISCRETE, CONTINUOUS = cartpole().action_space, pendulum().action_space


def adam() -> AdamOptimizerFactory:
    return AdamOptimizerFactory(lr=1e-3)


def discrete_net(**more: Any) -> Net:
    return Net(state_shape=STATES, action_shape=ACTIONS, hidden_sizes=HIDDEN, **more)


def features(of: Any = STATES, **more: Any) -> Net:
    return Net(state_shape=of, hidden_sizes=HIDDEN, **more)


def gaussian(loc_scale: tuple[torch.Tensor, torch.Tensor]) -> Distribution:
    loc, scale = loc_scale
    return Independent(Normal(loc, scale), 1)


def continuous_critic(device: torch.device) -> ContinuousCritic:
    net = features(STATE, action_shape=ACTION, concat=True)
    return ContinuousCritic(preprocess_net=net).to(device)


def value(device: torch.device, of: Any = STATES) -> nn.Module:
    made = DiscreteCritic if of is STATES else ContinuousCritic
    return made(preprocess_net=features(of)).to(device)


def probabilistic(device: torch.device, **more: Any) -> ContinuousActorProbabilistic:
    return ContinuousActorProbabilistic(preprocess_net=features(STATE), action_shape=ACTION, **more).to(device)


def deterministic(device: torch.device) -> ContinuousActorDeterministic:
    return ContinuousActorDeterministic(preprocess_net=features(STATE), action_shape=ACTION, max_action=LARGEST).to(
        device
    )


def discrete_policy(device: torch.device) -> DiscreteActorPolicy:
    actor = DiscreteActor(preprocess_net=features(), action_shape=ACTIONS, softmax_output=False).to(device)
    return DiscreteActorPolicy(actor=actor, dist_fn=dist_fn_categorical_from_logits, action_space=DISCRETE)


def gaussian_policy(device: torch.device) -> ProbabilisticActorPolicy:
    actor = probabilistic(device, max_action=LARGEST)
    return ProbabilisticActorPolicy(
        actor=actor, dist_fn=gaussian, action_space=CONTINUOUS, action_scaling=True, action_bound_method="clip"
    )


def off_policy(
    algorithm: Any, make: Callable[[], gym.Env], buffer: Any = None, first_random: bool = True, **more: Any
) -> None:
    buffer = buffer or VectorReplayBuffer(200, 2)
    collector = Collector(algorithm, several(make), buffer, exploration_noise=True)
    tested = Collector(algorithm, several(make, 1))
    collector.reset()
    collector.collect(n_step=30, random=first_random)
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            test_collector=tested,
            max_epochs=1,
            epoch_num_steps=8,
            collection_step_num_env_steps=4,
            test_step_num_episodes=1,
            batch_size=8,
            update_step_num_gradient_steps_per_sample=0.5,
            show_progress=False,
            verbose=False,
            **more,
        )
    )


def on_policy(algorithm: Any, make: Callable[[], gym.Env], **more: Any) -> None:
    collector = Collector(algorithm, several(make), VectorReplayBuffer(100, 2))
    tested = Collector(algorithm, several(make, 1))
    collector.reset()
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            test_collector=tested,
            max_epochs=1,
            epoch_num_steps=24,
            collection_step_num_env_steps=24,
            test_step_num_episodes=1,
            batch_size=8,
            update_step_num_repetitions=2,
            show_progress=False,
            verbose=False,
            **more,
        )
    )


def filled(make: Callable[[], gym.Env]) -> VectorReplayBuffer:
    buffer, chance = VectorReplayBuffer(48, 2), np.random.default_rng(0)
    space, actions = make().observation_space, make().action_space
    for step in range(24):
        action = np.stack([actions.sample() for _ in range(2)])
        ended = np.array([step % 8 == 7] * 2)
        buffer.add(
            Batch(
                obs=chance.standard_normal((2, *space.shape)).astype(np.float32),
                act=action,
                rew=chance.standard_normal(2),
                terminated=ended,
                truncated=np.zeros(2, bool),
                obs_next=chance.standard_normal((2, *space.shape)).astype(np.float32),
                info={},
            ),
            buffer_ids=[0, 1],
        )
    return buffer


def offline(algorithm: Any, make: Callable[[], gym.Env], **more: Any) -> None:
    algorithm.run_training(
        OfflineTrainerParams(
            buffer=filled(make),
            test_collector=Collector(algorithm, several(make, 1)),
            max_epochs=1,
            epoch_num_steps=3,
            test_step_num_episodes=1,
            batch_size=8,
            show_progress=False,
            verbose=False,
            **more,
        )
    )


# Learning Q functions


def q_policy(device: torch.device, net: nn.Module) -> DiscreteQLearningPolicy:
    return DiscreteQLearningPolicy(model=net.to(device), action_space=DISCRETE, eps_training=0.1, eps_inference=0.05)


LEARNING = {"gamma": 0.9, "n_step_return_horizon": 3, "target_update_freq": 2}
DUELING = ({"hidden_sizes": [16]}, {"hidden_sizes": [16]})


def noisy(x: int, y: int) -> NoisyLinear:
    return NoisyLinear(x, y, 0.1)


def fraction(device: torch.device) -> Algorithm:
    net = FullQuantileFunction(preprocess_net=features(), action_shape=ACTIONS, hidden_sizes=HIDDEN, num_cosines=8).to(
        device
    )
    fractions = FractionProposalNetwork(8, net.input_dim).to(device)
    policy = FQFPolicy(model=net, fraction_model=fractions, action_space=DISCRETE, eps_training=0.1)
    return algorithms.FQF(
        policy=policy,
        optim=adam(),
        fraction_optim=RMSpropOptimizerFactory(lr=1e-4),
        num_fractions=8,
        ent_coef=0.1,
        **LEARNING,
    )


Q_LEARNING: dict[str, Maker] = {
    "DQN": lambda device: algorithms.DQN(policy=q_policy(device, discrete_net()), optim=adam(), **LEARNING),
    "DQN huber": lambda device: algorithms.DQN(
        policy=q_policy(device, discrete_net()), optim=adam(), is_double=False, huber_loss_delta=1.0, **LEARNING
    ),
    "dueling": lambda device: algorithms.DQN(
        policy=q_policy(device, discrete_net(dueling_param=DUELING)), optim=adam(), **LEARNING
    ),
    "C51": lambda device: algorithms.C51(
        policy=C51Policy(
            model=discrete_net(softmax=True, num_atoms=11),
            action_space=DISCRETE,
            num_atoms=11,
            v_min=-10,
            v_max=10,
        ).to(device),
        optim=adam(),
        **LEARNING,
    ).to(device),
    "rainbow": lambda device: algorithms.RainbowDQN(
        policy=C51Policy(
            model=discrete_net(
                softmax=True,
                num_atoms=11,
                dueling_param=({"linear_layer": noisy}, {"linear_layer": noisy}),
            ),
            action_space=DISCRETE,
            num_atoms=11,
        ).to(device),
        optim=adam(),
        **LEARNING,
    ).to(device),
    "QRDQN": lambda device: algorithms.QRDQN(
        policy=QRDQNPolicy(model=discrete_net(softmax=False, num_atoms=10).to(device), action_space=DISCRETE),
        optim=adam(),
        num_quantiles=10,
        **LEARNING,
    ).to(device),
    "IQN": lambda device: algorithms.IQN(
        policy=IQNPolicy(
            model=ImplicitQuantileNetwork(
                preprocess_net=features(), action_shape=ACTIONS, hidden_sizes=HIDDEN, num_cosines=8
            ).to(device),
            action_space=DISCRETE,
        ),
        optim=adam(),
        **LEARNING,
    ).to(device),
    "FQF": fraction,
}


def q_learning_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        off_policy(Q_LEARNING[name](device), cartpole)
        if name != "DQN huber":
            weighted = PrioritizedVectorReplayBuffer(200, 2, alpha=0.6, beta=0.4)
            off_policy(Q_LEARNING[name](device), cartpole, weighted)

    return use


uses.add_each("Q learning", Q_LEARNING, q_learning_use)


@uses.add
def branching(device: torch.device) -> None:
    def make() -> gym.Env:
        return ContinuousToDiscrete(pendulum(), 5)

    net = BranchingNet(
        state_shape=STATE,
        num_branches=1,
        action_per_branch=5,
        common_hidden_sizes=[16],
        value_hidden_sizes=[16],
        action_hidden_sizes=[16],
    ).to(device)
    policy = BDQNPolicy(model=net, action_space=make().action_space, eps_training=0.1)
    off_policy(BDQN(policy=policy, optim=adam(), target_update_freq=2), make, first_random=False)


@uses.add
def recurrent_q_learning(device: torch.device) -> None:
    net = Recurrent(layer_num=1, state_shape=STATES, action_shape=ACTIONS, hidden_layer_size=16)
    algorithm = algorithms.DQN(policy=q_policy(device, net), optim=adam(), **LEARNING)
    off_policy(algorithm, cartpole, VectorReplayBuffer(200, 2, stack_num=4, ignore_obs_next=True))


@uses.add
def curious_q_learning(device: torch.device) -> None:
    wrapped = algorithms.DQN(policy=q_policy(device, discrete_net()), optim=adam(), **LEARNING)
    model = IntrinsicCuriosityModule(
        feature_net=MLP(input_dim=4, output_dim=8, hidden_sizes=[16]),
        feature_dim=8,
        action_dim=ACTIONS,
        hidden_sizes=[16],
    ).to(device)
    options = {"lr_scale": 1.0, "reward_scale": 0.01, "forward_loss_weight": 0.2}
    off_policy(ICMOffPolicyWrapper(wrapped_algorithm=wrapped, model=model, optim=adam(), **options), cartpole)


# Policy gradients

ON_POLICY: dict[str, Callable[..., Algorithm]] = {
    "A2C": lambda policy, critic: algorithms.A2C(
        policy=policy, critic=critic, optim=RMSpropOptimizerFactory(lr=1e-3), max_grad_norm=0.5, return_scaling=True
    ),
    "PPO": lambda policy, critic: algorithms.PPO(
        policy=policy, critic=critic, optim=adam(), max_grad_norm=0.5, vf_coef=0.25, ent_coef=0.01
    ),
    "PPO clipped": lambda policy, critic: algorithms.PPO(
        policy=policy,
        critic=critic,
        optim=adam(),
        value_clip=True,
        dual_clip=3.0,
        recompute_advantage=True,
        return_scaling=True,
    ),
    "NPG": lambda policy, critic: algorithms.NPG(
        policy=policy, critic=critic, optim=adam(), optim_critic_iters=2, trust_region_size=0.1
    ),
    "TRPO": lambda policy, critic: algorithms.TRPO(
        policy=policy, critic=critic, optim=adam(), optim_critic_iters=2, max_backtracks=3
    ),
    "Reinforce": lambda policy, critic: algorithms.Reinforce(
        policy=policy, optim=adam(), gamma=0.95, return_standardization=True
    ),
}


def on_policy_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        on_policy(ON_POLICY[name](discrete_policy(device), value(device)), cartpole)
        on_policy(ON_POLICY[name](gaussian_policy(device), value(device, STATE)), pendulum)

    return use


uses.add_each("on policy", ON_POLICY, on_policy_use)


@uses.add
def shared_actor_and_critic(device: torch.device) -> None:
    net = features()
    actor = DiscreteActor(preprocess_net=net, action_shape=ACTIONS)
    critic = DiscreteCritic(preprocess_net=net)
    both = ActorCritic(actor, critic).to(device)
    for module in both.modules():
        if isinstance(module, nn.Linear):
            nn.init.orthogonal_(module.weight)
            nn.init.zeros_(module.bias)
    policy = DiscreteActorPolicy(
        actor=actor, dist_fn=torch.distributions.Categorical, action_space=DISCRETE, deterministic_eval=True
    )
    scheduled = adam().with_lr_scheduler_factory(LRSchedulerFactoryLinear(1, 24, 12))
    on_policy(algorithms.PPO(policy=policy, critic=critic, optim=scheduled), cartpole)


@uses.add
def curious_ppo(device: torch.device) -> None:
    wrapped = algorithms.PPO(policy=discrete_policy(device), critic=value(device), optim=adam())
    model = IntrinsicCuriosityModule(
        feature_net=MLP(input_dim=4, output_dim=8, hidden_sizes=[16]), feature_dim=8, action_dim=ACTIONS
    ).to(device)
    options = {"lr_scale": 1.0, "reward_scale": 0.01, "forward_loss_weight": 0.2}
    on_policy(ICMOnPolicyWrapper(wrapped_algorithm=wrapped, model=model, optim=adam(), **options), cartpole)


@uses.add
def recurrent_actor_and_critic(device: torch.device) -> None:
    actor = RecurrentActorProb(
        layer_num=1, state_shape=STATE, action_shape=ACTION, hidden_layer_size=16, max_action=LARGEST
    ).to(device)
    critic = RecurrentCritic(1, STATE, ACTION, 16).to(device)
    states = np.random.default_rng(0).standard_normal((4, 5, *STATE))
    (mean, _), hidden = actor(states)
    critic(states, mean).mean().backward()
    actor(states[:, 0], state=hidden)


# Actors and critics off the policy


def deterministic_policy(device: torch.device, noise: Any) -> ContinuousDeterministicPolicy:
    return ContinuousDeterministicPolicy(actor=deterministic(device), exploration_noise=noise, action_space=CONTINUOUS)


def sac_policy(device: torch.device) -> SACPolicy:
    actor = probabilistic(device, unbounded=True, conditioned_sigma=True)
    return SACPolicy(actor=actor, action_space=CONTINUOUS)


def alpha(device: torch.device, entropy: float = -1.0) -> AutoAlpha:
    return AutoAlpha(entropy, 0.0, adam()).to(device)


def discrete_sac(device: torch.device, **more: Any) -> Algorithm:
    def critic() -> DiscreteCritic:
        return DiscreteCritic(preprocess_net=features(), last_size=ACTIONS).to(device)

    actor = DiscreteActor(preprocess_net=features(), action_shape=ACTIONS, softmax_output=False).to(device)
    policy = DiscreteSACPolicy(actor=actor, action_space=DISCRETE)
    return algorithms.DiscreteSAC(
        policy=policy,
        policy_optim=adam(),
        critic=critic(),
        critic_optim=adam(),
        critic2=critic(),
        critic2_optim=adam(),
        **more,
    )


def redq(device: torch.device, mode: str) -> Algorithm:
    def linear(x: int, y: int) -> EnsembleLinear:
        return EnsembleLinear(4, x, y)

    net = features(STATE, action_shape=ACTION, concat=True, linear_layer=linear)
    critic = ContinuousCritic(preprocess_net=net, linear_layer=linear, flatten_input=False).to(device)
    policy = REDQPolicy(actor=probabilistic(device, unbounded=True, conditioned_sigma=True), action_space=CONTINUOUS)
    return algorithms.REDQ(
        policy=policy,
        policy_optim=adam(),
        critic=critic,
        critic_optim=adam(),
        ensemble_size=4,
        subset_size=2,
        alpha=alpha(device) if mode == "min" else 0.2,
        actor_delay=2,
        target_mode=mode,
    )


def two(device: torch.device) -> dict[str, Any]:
    return {
        "policy_optim": adam(),
        "critic": continuous_critic(device),
        "critic_optim": adam(),
        "critic2": continuous_critic(device),
        "critic2_optim": adam(),
    }


OFF_POLICY: dict[str, Maker] = {
    "DDPG": lambda device: algorithms.DDPG(
        policy=deterministic_policy(device, GaussianNoise(sigma=0.1)),
        policy_optim=adam(),
        critic=continuous_critic(device),
        critic_optim=adam(),
        n_step_return_horizon=3,
    ),
    "TD3": lambda device: algorithms.TD3(policy=deterministic_policy(device, OUNoise()), **two(device)),
    "SAC": lambda device: algorithms.SAC(policy=sac_policy(device), **two(device), n_step_return_horizon=2),
    "SAC with alpha": lambda device: algorithms.SAC(policy=sac_policy(device), **two(device), alpha=alpha(device)),
    "REDQ": lambda device: redq(device, "min"),
    "REDQ mean": lambda device: redq(device, "mean"),
}


def off_policy_use(name: str) -> Use:
    return lambda device: off_policy(OFF_POLICY[name](device), pendulum)


uses.add_each("off policy", OFF_POLICY, off_policy_use)


@uses.add
def discrete_soft_actor_critic(device: torch.device) -> None:
    off_policy(discrete_sac(device), cartpole)
    off_policy(discrete_sac(device, alpha=alpha(device, 0.6)), cartpole)


# Learning from data


def bcq(device: torch.device) -> Algorithm:
    state, action = int(np.prod(STATE)), int(np.prod(ACTION))
    net = MLP(input_dim=state + action, output_dim=action, hidden_sizes=HIDDEN)
    perturbation = Perturbation(preprocess_net=_Pair(net), max_action=LARGEST, phi=0.05).to(device)
    vae = VAE(
        encoder=MLP(input_dim=state + action, hidden_sizes=HIDDEN),
        decoder=MLP(input_dim=state + 2 * action, output_dim=action, hidden_sizes=HIDDEN),
        hidden_dim=HIDDEN[-1],
        latent_dim=2 * action,
        max_action=LARGEST,
    ).to(device)
    critics = two(device)
    del critics["policy_optim"]
    policy = BCQPolicy(
        actor_perturbation=perturbation,
        critic=critics["critic"],
        vae=vae,
        action_space=CONTINUOUS,
        forward_sampled_times=10,
    )
    del critics["critic"]
    return algorithms.BCQ(policy=policy, actor_perturbation_optim=adam(), vae_optim=adam(), **critics)


class _Pair(nn.Module):
    """A network whose output comes with a state."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, None]:
        return self.net(x), None


def discrete_bcq(device: torch.device) -> Algorithm:
    net = features()
    policy = DiscreteBCQPolicy(
        model=DiscreteActor(preprocess_net=net, action_shape=ACTIONS, softmax_output=False).to(device),
        imitator=DiscreteActor(preprocess_net=net, action_shape=ACTIONS, softmax_output=False).to(device),
        target_update_freq=2,
        action_space=DISCRETE,
    )
    return algorithms.DiscreteBCQ(policy=policy, optim=adam(), target_update_freq=2, n_step_return_horizon=2)


def discrete_crr(device: torch.device, mode: str = "exp") -> Algorithm:
    critic = DiscreteCritic(preprocess_net=features(), last_size=ACTIONS).to(device)
    return algorithms.DiscreteCRR(
        policy=discrete_policy(device),
        critic=critic,
        optim=adam(),
        policy_improvement_mode=mode,
        target_update_freq=2,
    )


OFFLINE: dict[str, tuple[Maker, Callable[[], gym.Env]]] = {
    "BCQ": (bcq, pendulum),
    "CQL": (
        lambda device: algorithms.CQL(policy=sac_policy(device), **two(device), alpha=alpha(device)),
        pendulum,
    ),
    "TD3BC": (
        lambda device: algorithms.TD3BC(policy=deterministic_policy(device, None), **two(device)),
        pendulum,
    ),
    "imitation": (
        lambda device: OfflineImitationLearning(
            policy=ImitationPolicy(actor=deterministic(device), action_space=CONTINUOUS), optim=adam()
        ),
        pendulum,
    ),
    "discrete imitation": (
        lambda device: OfflineImitationLearning(
            policy=ImitationPolicy(actor=discrete_net().to(device), action_space=DISCRETE), optim=adam()
        ),
        cartpole,
    ),
    "DiscreteBCQ": (discrete_bcq, cartpole),
    "DiscreteCQL": (
        lambda device: algorithms.DiscreteCQL(
            policy=QRDQNPolicy(model=discrete_net(num_atoms=10).to(device), action_space=DISCRETE),
            optim=adam(),
            num_quantiles=10,
            target_update_freq=2,
        ).to(device),
        cartpole,
    ),
    "DiscreteCRR": (discrete_crr, cartpole),
    "DiscreteCRR binary": (lambda device: discrete_crr(device, "binary"), cartpole),
}


def offline_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        make, env = OFFLINE[name]
        offline(make(device), env)

    return use


uses.add_each("offline", OFFLINE, offline_use)


@uses.add
def calibrated_cql(device: torch.device) -> None:
    algorithm = algorithms.CQL(policy=sac_policy(device), **two(device), calibrated=True, with_lagrange=False)
    buffer = filled(pendulum)
    algorithm.process_buffer(buffer)
    with policy_within_training_step(algorithm.policy):
        algorithm.update(buffer, 8)


@uses.add
def gail(device: torch.device) -> None:
    algorithm = algorithms.GAIL(
        policy=gaussian_policy(device),
        critic=value(device, STATE),
        optim=adam(),
        expert_buffer=filled(pendulum),
        disc_net=_Discriminator().to(device),
        disc_optim=adam(),
        disc_update_num=2,
    )
    on_policy(algorithm, pendulum)


class _Discriminator(nn.Module):
    """Tells pairs of observation and action apart."""

    def __init__(self) -> None:
        super().__init__()
        self.net = MLP(input_dim=4, output_dim=1, hidden_sizes=HIDDEN, activation=nn.Tanh)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(x)


@uses.add
def online_imitation(device: torch.device) -> None:
    expert = algorithms.A2C(policy=discrete_policy(device), critic=value(device), optim=adam())
    learner = OffPolicyImitationLearning(
        policy=ImitationPolicy(actor=discrete_net().to(device), action_space=DISCRETE), optim=adam()
    )
    collector = Collector(expert, several(cartpole), VectorReplayBuffer(100, 2))
    collector.reset()
    collector.collect(n_step=20)
    with policy_within_training_step(learner.policy):
        learner.update(collector.buffer, 8)


@uses.add
def posterior_sampling(device: torch.device) -> None:
    class Chain(gym.Env):
        observation_space, action_space = gym.spaces.Discrete(4), gym.spaces.Discrete(2)

        def reset(self, **more: Any) -> tuple[int, dict]:
            self.state, self.steps = 0, 0
            return 0, {}

        def step(self, action: int) -> tuple[int, float, bool, bool, dict]:
            self.state, self.steps = min(self.state + int(action), 3), self.steps + 1
            return self.state, float(action), self.state == 3, self.steps >= 8, {}

    policy = PSRLPolicy(
        trans_count_prior=np.ones((4, 2, 4)),
        rew_mean_prior=np.zeros((4, 2)),
        rew_std_prior=np.ones((4, 2)),
        action_space=Chain.action_space,
    )
    on_policy(algorithms.PSRL(policy=policy, add_done_loop=True).to(device), Chain)


# Several agents


class Race(AECEnv):
    """Two agents take turns."""

    metadata = {"name": "race"}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = ["one", "two"]
        self.agents = list(self.possible_agents)
        self.space = gym.spaces.Box(-1, 1, (4,), np.float32)
        self.actions = gym.spaces.Discrete(2)

    def observation_space(self, agent: str) -> gym.Space:
        return self.space

    def action_space(self, agent: str) -> gym.Space:
        return self.actions

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents = list(self.possible_agents)
        self.steps, self.agent_selection = 0, "one"
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> Any:
        return {"observation": self.space.sample(), "action_mask": np.ones(2, np.int8)}

    def step(self, action: int) -> None:
        self.steps += 1
        self.rewards = dict.fromkeys(self.agents, float(np.sum(action)))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, self.steps >= 6)
        self.agent_selection = "two" if self.agent_selection == "one" else "one"


def race() -> PettingZooEnv:
    return PettingZooEnv(Race())


@uses.add
def several_agents(device: torch.device) -> None:
    env = race()
    first = algorithms.DQN(policy=q_policy(device, discrete_net()), optim=adam(), **LEARNING)
    second = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[first, second], env=env)
    off_policy(algorithm, race, multi_agent_return_reduction=lambda rewards: rewards[:, 0])


# Training


@uses.add
def logged_training(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        writer = SummaryWriter(folder)
        logger = TensorboardLogger(writer, training_interval=4, update_interval=1, save_interval=1)
        algorithm = algorithms.DQN(policy=q_policy(device, discrete_net()), optim=adam(), **LEARNING)

        def checkpoint(epoch: int, env_step: int, gradient_step: int) -> str:
            torch.save(algorithm.state_dict(), f"{folder}/checkpoint.pth")
            return f"{folder}/checkpoint.pth"

        more = {
            "training_fn": lambda epoch, step: algorithm.policy.set_eps_training(0.5 / epoch),
            "test_fn": lambda epoch, step: algorithm.policy.set_eps_inference(0.01),
            "stop_fn": lambda reward: reward >= 195,
            "save_best_fn": lambda best: torch.save(best.state_dict(), f"{folder}/best.pth"),
            "save_checkpoint_fn": checkpoint,
            "logger": logger,
        }
        off_policy(algorithm, cartpole, **more, test_in_training=True)
        algorithm.load_state_dict(torch.load(f"{folder}/checkpoint.pth", map_location=device))
        off_policy(algorithm, cartpole, logger=logger, resume_from_log=True)
        writer.close()


@uses.add
def logged_training_on_policy(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        writer = SummaryWriter(folder)
        algorithm = algorithms.PPO(policy=discrete_policy(device), critic=value(device), optim=adam())
        best = {"save_best_fn": lambda best: torch.save(best.state_dict(), f"{folder}/best.pth")}
        on_policy(algorithm, cartpole, logger=TensorboardLogger(writer, update_interval=1), **best)
        writer.close()


@uses.add
def trainer_by_epochs(device: torch.device) -> None:
    algorithm = algorithms.PPO(policy=discrete_policy(device), critic=value(device), optim=adam())
    collector = Collector(algorithm, several(cartpole), VectorReplayBuffer(100, 2))
    collector.reset()
    trainer = algorithm.create_trainer(
        OnPolicyTrainerParams(
            training_collector=collector,
            test_collector=Collector(algorithm, several(cartpole, 1)),
            max_epochs=2,
            epoch_num_steps=12,
            collection_step_num_env_steps=None,
            collection_step_num_episodes=2,
            batch_size=8,
        )
    )
    trainer.reset()
    for _ in range(2):
        trainer.execute_epoch()


@uses.add
def own_loop(device: torch.device) -> None:
    optimizer = TorchOptimizerFactory(torch.optim.AdamW, lr=1e-3)
    algorithm = algorithms.DQN(policy=q_policy(device, discrete_net()), optim=optimizer, **LEARNING)
    collector = Collector(algorithm, several(cartpole), VectorReplayBuffer(100, 2), exploration_noise=True)
    collector.reset()
    for _ in range(2):
        collector.collect(n_step=12)
        with policy_within_training_step(algorithm.policy):
            algorithm.update(collector.buffer, 8)


# Collecting


@uses.add
def collectors(device: torch.device) -> None:
    policy = gaussian_policy(device)
    algorithm = algorithms.PPO(policy=policy, critic=value(device, STATE), optim=adam())
    for env in (pendulum(), VectorEnvNormObs(several(pendulum))):
        collector = Collector(
            algorithm,
            env,
            on_step_hook=StepHookAddActionDistribution(),
            on_episode_done_hook=EpisodeRolloutHookMCReturn(),
        )
        collector.reset()
        collector.collect(n_episode=2).pprint_asdict()
        collector.collect(n_step=4)
        collector.close()


@uses.add
def acting(device: torch.device) -> None:
    policy = discrete_policy(device).eval()
    env = cartpole()
    observation, _ = env.reset()
    for _ in range(5):
        observation, *_ = env.step(policy.compute_action(observation))
    policy(Batch(obs=np.stack([observation] * 3), info={}))
    q_policy(device, discrete_net()).eval().compute_action(observation)


# Data


@uses.add
def batches(device: torch.device) -> None:
    batch = Batch(a=torch.rand(6, 3, device=device), b={"c": torch.arange(6, device=device)}, d=np.zeros((6, 2)))
    batch.to_torch_(dtype=torch.float32, device=device)
    Batch.cat([batch, batch])
    stacked = Batch.stack([batch, batch])
    stacked[0], stacked[:, 1:3]
    batch[[0, 2]] = batch[[1, 3]]
    for part in batch.split(2, shuffle=True, merge_last=True):
        part.a.sum()
    next(iter(batch)).to_numpy()
    assert batch == Batch(batch, copy=True)
    batch.isnull()
    batch.hasnull()
    batch.to_numpy_()
    to_torch_as(to_torch(np.ones(3), torch.float32, device), batch_like := torch.ones(2, device=device))
    to_numpy({"x": batch_like, "y": [batch_like]})
    np.mean(batch.a), repr(batch), len(batch), batch.shape


@uses.add
def buffers(device: torch.device) -> None:
    vector = filled(cartpole)
    policy = q_policy(device, discrete_net())
    sampled, _ = vector.sample(8)
    policy(sampled)
    with tempfile.TemporaryDirectory() as folder:
        vector.save_hdf5(f"{folder}/buffer.hdf5")
        VectorReplayBuffer.load_hdf5(f"{folder}/buffer.hdf5").sample(4)
    one = PrioritizedReplayBuffer(50, alpha=0.6, beta=0.4, stack_num=2)
    whole = ReplayBuffer(50)
    for row in vector[:10]:
        one.add(row)
        whole.add(row)
    _, indices = one.sample(4)
    one.update_weight(indices, torch.rand(4, device=device))
    whole.update(vector)
    whole.prev(indices), whole.next(indices), whole.get(indices, "obs", stack_num=3)
    cached = CachedReplayBuffer(ReplayBuffer(50), cached_buffer_num=2, max_episode_length=10)
    cached.add(Batch.stack([vector[0], vector[1]]), buffer_ids=[0, 1])


@uses.add
def hindsight(device: torch.device) -> None:
    def reward(achieved: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        return -np.linalg.norm(achieved - wanted, axis=-1)

    buffer, chance = HERReplayBuffer(50, compute_reward_fn=reward, horizon=10, future_k=4), np.random.default_rng(0)

    def goal() -> dict[str, np.ndarray]:
        return {key: chance.standard_normal(2) for key in ("observation", "achieved_goal", "desired_goal")}

    for step in range(20):
        buffer.add(
            Batch(
                obs=goal(),
                obs_next=goal(),
                act=chance.standard_normal(1),
                rew=-1.0,
                terminated=False,
                truncated=step % 10 == 9,
                info={},
            )
        )
    batch, _ = buffer.sample(8)
    batch.to_torch(dtype=torch.float32, device=device)


@uses.add
def statistics(device: torch.device) -> None:
    average, running = MovAvg(10), RunningMeanStd()
    average.add(torch.rand(3, device=device))
    average.add([1.0, 2.0])
    average.mean(), average.std()
    running.update(np.random.default_rng(0).standard_normal((5, 3)))
    running.norm(np.ones((2, 3)))


# Networks

ATARI: dict[str, Callable[[], nn.Module]] = {
    "DQNet": lambda: atari_network.DQNet(c=4, h=84, w=84, action_shape=3),
    "scaled DQNet": lambda: atari_network.ScaledObsInputActionReprNet(
        atari_network.DQNet(c=4, h=84, w=84, action_shape=3)
    ),
    "C51Net": lambda: atari_network.C51Net(c=4, h=84, w=84, action_shape=[3], num_atoms=11),
    "RainbowNet": lambda: atari_network.RainbowNet(c=4, h=84, w=84, action_shape=[3], num_atoms=11),
    "QRDQNet": lambda: atari_network.QRDQNet(c=4, h=84, w=84, action_shape=[3], num_quantiles=11),
}


def atari_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        net = ATARI[name]().to(device)
        found, _ = net(np.zeros((2, 4, 84, 84), np.float32))
        found.sum().backward()

    return use


uses.add_each("atari", ATARI, atari_use)


@uses.add
def plain_networks(device: torch.device) -> None:
    observations = np.ones((4, 4), np.float32)
    normalised = Net(
        state_shape=4, action_shape=2, hidden_sizes=[16, 16], norm_layer=nn.LayerNorm, activation=nn.Tanh, softmax=True
    ).to(device)
    normalised(observations)[0].sum().backward()
    recurrent = Recurrent(layer_num=2, state_shape=4, action_shape=2, hidden_layer_size=8).to(device)
    found, state = recurrent(observations)
    recurrent(observations, state)
    found.sum().backward()
    layer = NoisyLinear(4, 2).to(device)
    layer.sample()
    layer(torch.ones(3, 4, device=device)).sum().backward()


# The high-level interface


def built(make: Callable[..., Any], task: str, device: torch.device, **more: Any) -> None:
    def actors(kind: ContinuousActorType) -> ActorFactoryDefault:
        return ActorFactoryDefault(kind, HIDDEN, discrete_softmax=False)

    envs = EnvFactoryRegistered(task=task, venv_type=VectorEnvType.DUMMY, max_episode_steps=10).create_envs(2, 1)
    algorithm_factory = make(actors)
    if "callbacks" in more:
        algorithm_factory.set_trainer_callbacks(more["callbacks"])
    with tempfile.TemporaryDirectory() as folder:
        algorithm = algorithm_factory.create_algorithm(envs, str(device))
        logger = LoggerFactoryDefault().create_logger(folder, "run", None, {})
        collector, tested = algorithm_factory.create_train_test_collectors(algorithm, envs)
        persistence = PolicyPersistence(mode=PolicyPersistence.Mode.POLICY_STATE_DICT)
        world = World(
            envs=envs,
            algorithm=algorithm,
            training_collector=collector,
            test_collector=tested,
            logger=logger,
            persist_directory=folder,
            restore_directory=None,
        )
        if isinstance(algorithm_factory.training_config, OffPolicyTrainingConfig):
            collector.collect(n_step=16, random=True)
        world.trainer = algorithm_factory.create_trainer(world, persistence)
        world.trainer.run()
        if (Path(folder) / "policy.pt").exists():
            persistence.restore(algorithm, _restored(world, folder), str(device))


def _restored(world: World, folder: str) -> World:
    world.restore_directory = folder
    return world


OPTIMISER = OptimizerFactoryFactoryAdam()
OFF = OffPolicyTrainingConfig(
    max_epochs=1,
    epoch_num_steps=8,
    collection_step_num_env_steps=4,
    batch_size=8,
    num_training_envs=2,
    test_step_num_episodes=1,
    buffer_size=100,
    update_step_num_gradient_steps_per_sample=0.5,
)
ON = OnPolicyTrainingConfig(
    max_epochs=1,
    epoch_num_steps=16,
    collection_step_num_env_steps=16,
    batch_size=8,
    num_training_envs=2,
    test_step_num_episodes=1,
    buffer_size=100,
)
GAUSSIAN, UNSUITABLE = ContinuousActorType.GAUSSIAN, ContinuousActorType.UNSUPPORTED
FIXED = ContinuousActorType.DETERMINISTIC


def critics(count: int = 1) -> list[CriticFactoryDefault]:
    return [CriticFactoryDefault(HIDDEN) for _ in range(count)]


HIGH: dict[str, tuple[str, Callable[..., Any]]] = {
    "PPO": (
        "CartPole-v1",
        lambda actors: factories.PPOAlgorithmFactory(
            parameters.PPOParams(lr=1e-3), ON, actors(GAUSSIAN), *critics(), OPTIMISER
        ),
    ),
    "A2C": (
        "Pendulum-v1",
        lambda actors: factories.A2CAlgorithmFactory(
            parameters.A2CParams(), ON, actors(GAUSSIAN), *critics(), OPTIMISER
        ),
    ),
    "TRPO": (
        "Pendulum-v1",
        lambda actors: factories.TRPOAlgorithmFactory(
            parameters.TRPOParams(), ON, actors(GAUSSIAN), *critics(), OPTIMISER
        ),
    ),
    "NPG": (
        "CartPole-v1",
        lambda actors: factories.NPGAlgorithmFactory(
            parameters.NPGParams(), ON, actors(GAUSSIAN), *critics(), OPTIMISER
        ),
    ),
    "Reinforce": (
        "CartPole-v1",
        lambda actors: factories.ReinforceAlgorithmFactory(
            parameters.ReinforceParams(), ON, actors(GAUSSIAN), OPTIMISER
        ),
    ),
    "DDPG": (
        "Pendulum-v1",
        lambda actors: factories.DDPGAlgorithmFactory(
            parameters.DDPGParams(exploration_noise=MaxActionScaledGaussian(0.1)),
            OFF,
            actors(FIXED),
            *critics(),
            OPTIMISER,
        ),
    ),
    "TD3": (
        "Pendulum-v1",
        lambda actors: factories.TD3AlgorithmFactory(
            parameters.TD3Params(), OFF, actors(FIXED), *critics(2), OPTIMISER
        ),
    ),
    "SAC": (
        "Pendulum-v1",
        lambda actors: factories.SACAlgorithmFactory(
            parameters.SACParams(alpha=AutoAlphaFactoryDefault()), OFF, actors(GAUSSIAN), *critics(2), OPTIMISER
        ),
    ),
    "DiscreteSAC": (
        "CartPole-v1",
        lambda actors: factories.DiscreteSACAlgorithmFactory(
            parameters.DiscreteSACParams(), OFF, actors(UNSUITABLE), *critics(2), OPTIMISER
        ),
    ),
    "REDQ": (
        "Pendulum-v1",
        lambda actors: factories.REDQAlgorithmFactory(
            parameters.REDQParams(ensemble_size=3),
            OFF,
            actors(GAUSSIAN),
            CriticEnsembleFactoryDefault(HIDDEN),
            OPTIMISER,
        ),
    ),
    "IQN": (
        "CartPole-v1",
        lambda actors: factories.IQNAlgorithmFactory(
            parameters.IQNParams(),
            OFF,
            ImplicitQuantileNetworkFactory(
                IntermediateModuleFactoryFromActorFactory(actors(UNSUITABLE)), hidden_sizes=[16]
            ),
            OPTIMISER,
        ),
    ),
}


def high_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        task, make = HIGH[name]
        built(make, task, device)

    return use


uses.add_each("high level", HIGH, high_use)


@uses.add
def high_level_dqn(device: torch.device) -> None:
    callbacks = TrainerCallbacks(
        epoch_train_callback=EpochTrainCallbackDQNEpsLinearDecay(0.3, 0.0),
        epoch_test_callback=EpochTestCallbackDQNSetEps(0.0),
        epoch_stop_callback=EpochStopCallbackRewardThreshold(195),
    )

    def make(actors: Callable[..., Any]) -> Any:
        return factories.DQNAlgorithmFactory(
            parameters.DQNParams(target_update_freq=2), OFF, actors(UNSUITABLE), OPTIMISER
        )

    built(make, "CartPole-v1", device, callbacks=callbacks)


if __name__ == "__main__":
    uses.main()
